/** The full program has to answer this one; no failure, and nothing is wrong. */
export class Declined extends Error {
  override readonly name = 'Declined';
}

/** The full program has to answer this request. Not a failure: nothing is wrong. */
export class Declined extends Error {
  override readonly name = 'Declined';
}

/** Thrown in place of a write: another may be leading by now. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost';
}

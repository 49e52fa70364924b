export interface WatchTimes {
  /** The requested time of one connection: between this and twice as long, so that not all end at the same moment. */
  readonly shortestWatchSeconds: number;
  /** A connection without an event for this long counts as dead. The API server sends a bookmark every minute. */
  readonly longestSilenceMs: number;
  /** The first wait after a failure is up to this long, each further one up to twice the last. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

export const defaultWatchTimes: WatchTimes = {
  shortestWatchSeconds: 300,
  longestSilenceMs: 90_000,
  firstWaitMs: 500,
  longestWaitMs: 30_000,
};

export interface WatchTimes {
  /** How long one connection is asked to last: between this and twice as long, so that many do not end at once. */
  readonly shortestWatchSeconds: number;
  /** Without any event for so long, the connection is taken for dead. The API server sends a bookmark every minute. */
  readonly longestSilenceMs: number;
  /** The first wait after trouble is up to this long, each further one up to twice the last. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

export const defaultWatchTimes: WatchTimes = {
  shortestWatchSeconds: 300,
  longestSilenceMs: 90_000,
  firstWaitMs: 500,
  longestWaitMs: 30_000,
};

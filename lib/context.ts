import type { Clock } from './clock.ts';
import type { Http } from './http/http.ts';
import type { Log } from './log/log.ts';

/** The outside world, as much of it as one call may use. */
export interface Context {
  readonly signal: AbortSignal;
  /** On the monotonic clock. A wait that would end later is not begun. */
  readonly deadlineAtMs: number;
  readonly http: Http;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to below 1, for jitter. */
  readonly random: () => number;
}

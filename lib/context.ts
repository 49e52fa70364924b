import type { Clock } from './clock.ts';
import type { Http } from './http/http.ts';
import type { Log } from './log/log.ts';

/** Everything outside the program that one call may use. */
export interface Context {
  readonly signal: AbortSignal;
  /** On the monotonic clock. A wait that would end later must not start. */
  readonly deadlineAtMs: number;
  readonly http: Http;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to below 1, for jitter. */
  readonly random: () => number;
}

import { systemClock } from './clock.ts';
import type { Context } from './context.ts';
import type { Http } from './http/http.ts';
import type { Log } from './log/log.ts';

export interface ContextParts {
  readonly http: Http;
  readonly log: Log;
  readonly timeoutMs: number;
}

/** The context of one call in a daemon. It ends when the signal is aborted, and after `timeoutMs` at the latest. */
export function limitedContext({ http, log, timeoutMs }: ContextParts, signal: AbortSignal): Context {
  return {
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    deadlineAtMs: systemClock.monotonicMs() + timeoutMs,
    http,
    clock: systemClock,
    log,
    random: Math.random,
  };
}

import { systemClock } from './clock.ts';
import type { Context } from './context.ts';
import type { Http } from './http/http.ts';
import type { Log } from './log/log.ts';

export interface ContextParts {
  readonly http: Http;
  readonly log: Log;
  readonly timeoutMs: number;
}

/** For one call of a program that runs for ever: it ends with the signal, and after so long at the latest. */
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

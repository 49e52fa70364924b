import type { Clock } from './clock.ts';
import { Failure } from './failure.ts';
import type { FailureKind } from './failure.ts';
import type { Log } from './log/log.ts';
import { parseHttpDate } from './parse-date.ts';

export interface RetryPolicy {
  readonly attempts: number;
  /** The first wait is up to this long, each further one up to twice the last. */
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
}

export interface RetryContext {
  readonly signal: AbortSignal;
  readonly deadlineAtMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
}

const retryableKinds: ReadonlySet<FailureKind> = new Set(['throttled', 'unavailable', 'invalid-response']);

/**
 * Retries failures of `retryableKinds`; all others are final. Waits exactly as long as Retry-After says if that ends
 * before the deadline. Otherwise it fails at once: an earlier retry would be refused, and a longer wait is in vain.
 */
export async function retry<T>(operation: () => Promise<T>, policy: RetryPolicy, context: RetryContext): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await operation();
    } catch (error) {
      if (attempt >= policy.attempts || !(error instanceof Failure) || !retryableKinds.has(error.kind)) throw error;
      const waitMs = error.retryAfterMs ?? jitteredWaitMs(attempt, policy, context);
      if (context.clock.monotonicMs() + waitMs >= context.deadlineAtMs) throw error;
      context.log.debug(`${error.message}; again in ${Math.ceil(waitMs)} ms`);
      await context.clock.sleep(waitMs, context.signal);
    }
  }
}

/** Between half of the wait and all of it, so that many nodes do not retry at the same moment. */
function jitteredWaitMs(attempt: number, policy: RetryPolicy, context: RetryContext): number {
  const fullMs = Math.min(policy.firstWaitMs * 2 ** (attempt - 1), policy.maxWaitMs);
  return fullMs * (0.5 + context.random() / 2);
}

/** Retry-After is whole seconds or a date. Anything else is ignored. */
export function retryAfterMs(header: string | undefined, wallMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const atMs = parseHttpDate(header);
  return atMs === undefined ? undefined : Math.max(0, atMs - wallMs);
}

import type { Clock } from '../../clock.ts';
import type { WatchTimes } from './watch-times.ts';

export interface Backoff {
  /** An attempt starts. */
  startAttempt(): void;
  /** It has ended. Waits before the next one. */
  wait(error: { readonly retryAfterMs: number | undefined } | undefined): Promise<void>;
}

export interface BackoffContext {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Upper limit of a Retry-After. A timer takes a much longer one for 0. */
const longestRetryAfterMs = 5 * 60_000;

/**
 * An attempt that lasted longer than the longest wait resets the backoff, and needs no wait after an orderly end. A
 * shorter attempt counts, orderly or not: an API server that ends every watch at once must not be asked in a loop.
 */
export function createBackoff({ firstWaitMs, longestWaitMs }: WatchTimes, context: BackoffContext): Backoff {
  const { clock, random, signal } = context;
  let startedAtMs = clock.monotonicMs();
  let failures = 0;
  return {
    startAttempt: () => {
      startedAtMs = clock.monotonicMs();
    },
    wait: async (error) => {
      const lasted = clock.monotonicMs() - startedAtMs >= longestWaitMs;
      if (lasted) failures = 0;
      if (lasted && error === undefined) return;
      failures += 1;
      const fullMs = Math.min(firstWaitMs * 2 ** (failures - 1), longestWaitMs);
      const requestedMs = Math.min(error?.retryAfterMs ?? 0, longestRetryAfterMs);
      await clock.sleep(Math.max(fullMs * (0.5 + random() / 2), requestedMs), signal);
    },
  };
}

import type { Clock } from '../../clock.ts';
import type { WatchTimes } from './watch-times.ts';

export interface BackOff {
  /** An attempt starts. */
  begin(): void;
  /** It ended; waits before the next one. */
  wait(error: { readonly retryAfterMs: number | undefined } | undefined): Promise<void>;
}

export interface BackOffContext {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: () => number;
}

/**
 * An attempt that lasted longer than the longest wait begins the count anew, and its orderly end needs no wait at all.
 * What ended sooner counts, orderly or not: an API server that ends every watch at once is not to be asked in a loop.
 */
/** Whatever somebody asks for; a timer takes far longer ones for none at all. */
const longestAskedMs = 5 * 60_000;

export function createBackOff({ firstWaitMs, longestWaitMs }: WatchTimes, context: BackOffContext): BackOff {
  const { clock, random, signal } = context;
  let beganAtMs = clock.monotonicMs();
  let failures = 0;
  return {
    begin: () => {
      beganAtMs = clock.monotonicMs();
    },
    wait: async (error) => {
      const lasted = clock.monotonicMs() - beganAtMs >= longestWaitMs;
      if (lasted) failures = 0;
      if (lasted && error === undefined) return;
      failures += 1;
      const fullMs = Math.min(firstWaitMs * 2 ** (failures - 1), longestWaitMs);
      const askedMs = Math.min(error?.retryAfterMs ?? 0, longestAskedMs);
      await clock.sleep(Math.max(fullMs * (0.5 + random() / 2), askedMs), signal);
    },
  };
}

/** Time, handed in so that tests can turn it. Wall time is for dates from outside, monotonic time for waiting. */
export interface Clock {
  wallMs(): number;
  monotonicMs(): number;
  /** Rejects with the signal's reason when it is aborted first. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  // Not by `performance`: loading node:perf_hooks for it costs 1 ms of each start.
  monotonicMs: () => process.uptime() * 1_000,
  sleep,
};

function sleep(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, durationMs);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Passed in so that tests can control time. Wall time is for dates from outside, monotonic time for waiting. */
export interface Clock {
  wallMs(): number;
  monotonicMs(): number;
  /** Rejects with the signal's reason when it is aborted first. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  // Not `performance`: loading node:perf_hooks adds 1 ms to each start.
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

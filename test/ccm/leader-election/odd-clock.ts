import type { Clock } from '../../../lib/clock.ts';

/** The clocks of one process that runs on time of its own, and can be stopped. */
export interface OddClock extends Clock {
  /** As SIGSTOP does: time goes on, but nothing in the process does. */
  stop(): void;
  goOn(): void;
  /** Resolves when the process runs. */
  running(): Promise<unknown>;
  setWall(offsetMs: number): void;
}

/** `rate` is 1 for a clock that goes as `base` does, 1.01 for one that gains a second in 100. */
export function createOddClock(base: Clock, rate: number, startedAtMs: number): OddClock {
  let gate = Promise.withResolvers<undefined>();
  let wallOffsetMs = 0;
  let isRunning = true;
  gate.resolve(undefined);
  return {
    monotonicMs: () => startedAtMs + base.monotonicMs() * rate,
    wallMs: () => base.wallMs() + wallOffsetMs,
    sleep: async (durationMs, signal) => {
      await base.sleep(durationMs / rate, signal);
      await gate.promise;
    },
    // One that is stopped already waits at the gate that there is: a second gate would leave it there for ever.
    stop: () => {
      if (isRunning) gate = Promise.withResolvers<undefined>();
      isRunning = false;
    },
    goOn: () => {
      isRunning = true;
      gate.resolve(undefined);
    },
    running: () => gate.promise,
    setWall: (offsetMs) => {
      wallOffsetMs = offsetMs;
    },
  };
}

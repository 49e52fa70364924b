import type { Clock } from '../../../lib/clock.ts';

/** The clocks of one process that runs on time of its own, and can be stopped. */
export interface ProcessClock extends Clock {
  /** As SIGSTOP does: time goes on, but nothing in the process does. */
  pause(): void;
  resume(): void;
  /** Resolves when the process runs. */
  untilRunning(): Promise<unknown>;
  setWall(offsetMs: number): void;
}

/** `rate` is 1 for a clock that goes as `base` does, 1.01 for one that gains a second in 100. */
export function createProcessClock(base: Clock, rate: number, startedAtMs: number): ProcessClock {
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
    pause: () => {
      if (isRunning) gate = Promise.withResolvers<undefined>();
      isRunning = false;
    },
    resume: () => {
      isRunning = true;
      gate.resolve(undefined);
    },
    untilRunning: () => gate.promise,
    setWall: (offsetMs) => {
      wallOffsetMs = offsetMs;
    },
  };
}

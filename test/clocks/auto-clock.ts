import type { Clock } from '../../lib/clock.ts';

/**
 * Real time with leaps: when two wait at once, time jumps to the end of the shorter wait. So a deadline comes as late as
 * it must, while every wait below it costs nothing.
 */
export interface AutoClock extends Clock {
  leap(durationMs: number): void;
}

interface Sleeper {
  readonly wakeAtMs: number;
  wake(): void;
}

export function createAutoClock(wallAtStartMs: number): AutoClock {
  const startedAtMs = performance.now();
  const sleepers = new Set<Sleeper>();
  let leaptMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const monotonicMs = (): number => performance.now() - startedAtMs + leaptMs;
  const leap = (durationMs: number): void => {
    leaptMs += Math.max(0, durationMs);
    schedule();
  };
  const leapToNextWake = (): void => {
    const first = firstOf(sleepers);
    if (first !== undefined && sleepers.size > 1) leap(first.wakeAtMs - monotonicMs());
  };
  function schedule(): void {
    clearTimeout(timer);
    for (const sleeper of sleepers) if (sleeper.wakeAtMs <= monotonicMs()) sleeper.wake();
    const first = firstOf(sleepers);
    if (sleepers.size > 1) setImmediate(leapToNextWake);
    else if (first !== undefined) timer = setTimeout(schedule, first.wakeAtMs - monotonicMs());
  }
  return {
    monotonicMs,
    wallMs: () => wallAtStartMs + monotonicMs(),
    leap,
    sleep: (durationMs, signal) =>
      new Promise((resolve, reject) => {
        const leave = (): void => {
          sleepers.delete(sleeper);
          signal.removeEventListener('abort', stop);
        };
        const stop = (): void => {
          leave();
          schedule();
          reject(signal.reason as Error);
        };
        const wake = (): void => {
          leave();
          resolve();
        };
        const sleeper: Sleeper = { wakeAtMs: monotonicMs() + durationMs, wake };
        sleepers.add(sleeper);
        signal.addEventListener('abort', stop, { once: true });
        if (signal.aborted) stop();
        else schedule();
      }),
  };
}

function firstOf(sleepers: ReadonlySet<Sleeper>): Sleeper | undefined {
  return [...sleepers].toSorted((a, b) => a.wakeAtMs - b.wakeAtMs)[0];
}

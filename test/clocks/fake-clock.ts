import type { Clock } from '../../lib/clock.ts';

/** A clock that stands still until it is told to go on. */
export interface FakeClock extends Clock {
  /** Lets time pass; sleepers wake in the order of their time, each seeing the time it asked for. */
  advance(durationMs: number): Promise<void>;
  /** How long each sleep was asked to be, in order. */
  readonly sleepsMs: readonly number[];
  /** Sets wall time alone, as a daemon that keeps time does. */
  setWall(wallMs: number): void;
}

interface Sleeper {
  readonly wakeAtMs: number;
  wake(): void;
}

export function createFakeClock(wallAtStartMs: number): FakeClock {
  let elapsedMs = 0;
  let wallOffsetMs = wallAtStartMs;
  const sleepsMs: number[] = [];
  const sleepers = new Set<Sleeper>();
  return {
    wallMs: () => wallOffsetMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    sleepsMs,
    setWall: (wallMs) => {
      wallOffsetMs = wallMs - elapsedMs;
    },
    sleep: (durationMs, signal) => {
      sleepsMs.push(durationMs);
      return sleepUntil(elapsedMs + durationMs, sleepers, signal);
    },
    advance: async (durationMs) => {
      const endMs = elapsedMs + durationMs;
      await flushPending();
      for (let next = firstDue(sleepers, endMs); next !== undefined; next = firstDue(sleepers, endMs)) {
        elapsedMs = Math.max(elapsedMs, next.wakeAtMs);
        sleepers.delete(next);
        next.wake();
        // One at a time, so that who wakes can fall asleep again within the same advance.
        await flushPending();
      }
      elapsedMs = endMs;
    },
  };
}

function sleepUntil(wakeAtMs: number, sleepers: Set<Sleeper>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const stop = (): void => {
      sleepers.delete(sleeper);
      reject(signal.reason as Error);
    };
    const sleeper: Sleeper = {
      wakeAtMs,
      wake: () => {
        signal.removeEventListener('abort', stop);
        resolve();
      },
    };
    sleepers.add(sleeper);
    signal.addEventListener('abort', stop, { once: true });
  });
}

function firstDue(sleepers: ReadonlySet<Sleeper>, untilMs: number): Sleeper | undefined {
  const due = [...sleepers].filter(({ wakeAtMs }) => wakeAtMs <= untilMs);
  return due.toSorted((a, b) => a.wakeAtMs - b.wakeAtMs)[0];
}

/** Until everything that could go on without time passing has done so. */
function flushPending(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}

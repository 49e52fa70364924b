import type { Clock } from '../../lib/clock.ts';

/** Lets a loop sleep until a time, or until something happens. */
export interface Alarm {
  /** Ends the wait. Without one, the next wait ends at once. */
  ring(): void;
  /** Also ends when the signal is aborted. Never rejects. */
  wait(durationMs: number, signal: AbortSignal): Promise<void>;
}

/** The clock of the machine may be set meanwhile. A loop that looks once more changes nothing. */
const longestWaitMs = 10_000;
/** A plan whose time has come and that has nothing to do must not keep the processor busy. A ring does not wait. */
const shortestWaitMs = 10;

export function createAlarm(clock: Pick<Clock, 'sleep'>): Alarm {
  let hasRung = false;
  let wake = (): void => {};
  return {
    ring: () => {
      hasRung = true;
      wake();
    },
    wait: async (durationMs, signal) => {
      const woken = new AbortController();
      wake = () => woken.abort(new Error('woken'));
      if (hasRung || signal.aborted) wake();
      // `AbortSignal.any` would leave a weak reference in a signal that lives as long as the process.
      signal.addEventListener('abort', wake, { once: true });
      const waitMs = Math.min(Math.max(shortestWaitMs, durationMs), longestWaitMs);
      await clock.sleep(waitMs, woken.signal).catch(() => undefined);
      signal.removeEventListener('abort', wake);
      hasRung = false;
    },
  };
}

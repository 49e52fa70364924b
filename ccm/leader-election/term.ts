import type { Clock } from '../../lib/clock.ts';
import type { ElectionTimes } from './settings.ts';

/** What somebody who leads may know and do. */
export interface Leadership {
  /** Aborted when leading ends, for whatever reason; the work has to end within 5 s then. */
  readonly signal: AbortSignal;
  /** To be asked right before each write, with nothing awaited between: timers come late after a process was stopped. */
  mayWrite(): boolean;
  /** A write that takes longer may meet the next leader's. */
  readonly maxWriteMs: number;
}

export interface Renewal {
  readonly sinceMs: number;
  readonly sinceWallMs: number;
}

/** One time of leading, from having the lease to having it no more. */
export interface Term {
  readonly leadership: Leadership;
  renew(renewal: Renewal): void;
  /** 0: the deadline is over. */
  leftMs(): number;
  /** From now on nothing may be written, whatever the clocks say. */
  lose(reason: Error): void;
  /** The work is asked to end; what it has begun it may still finish in time. */
  end(reason: Error): void;
}

export function startTerm(times: ElectionTimes, clock: Clock, first: Renewal): Term {
  const ending = new AbortController();
  let last = first;
  let isLost = false;
  const leftMs = (): number => Math.max(0, last.sinceMs + times.renewDeadlineMs - clock.monotonicMs());
  /**
   * The monotonic clock goes on while a process is stopped, but stands still while the whole machine sleeps; then wall
   * time has jumped when it wakes. A wall clock that is only set forward costs the time until the next renewal.
   */
  const hasSlept = (): boolean => clock.wallMs() - last.sinceWallMs >= times.renewDeadlineMs;
  const end = (reason: Error): void => ending.abort(reason);
  return {
    leadership: {
      signal: ending.signal,
      mayWrite: () => !isLost && leftMs() > 0 && !hasSlept(),
      maxWriteMs: times.leaseDurationMs - times.renewDeadlineMs,
    },
    renew: (renewal) => {
      last = renewal;
    },
    leftMs,
    lose: (reason) => {
      isLost = true;
      end(reason);
    },
    end,
  };
}

import type { Clock } from '../../lib/clock.ts';
import type { ElectionTimes } from './settings.ts';

/** What a leader may do. */
export interface Leadership {
  /** Aborted when leadership ends, for any reason. Then the work has to end within 5 s. */
  readonly signal: AbortSignal;
  /** Check it right before each write, without an await between: timers fire late after a process was stopped. */
  mayWrite(): boolean;
  /** A longer write may overlap with one of the next leader. */
  readonly maxWriteMs: number;
}

export interface Renewal {
  readonly sinceMs: number;
  readonly sinceWallMs: number;
}

/** One period of leadership, from getting the lease to losing it. */
export interface Term {
  readonly leadership: Leadership;
  renew(renewal: Renewal): void;
  /** 0: the deadline has passed. */
  leftMs(): number;
  /** From now on no write is allowed, whatever the clocks show. */
  lose(reason: Error): void;
  /** Asks the work to end. It may still finish in time what it has begun. */
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

import type { Clock } from '../../../lib/clock.ts';
import { Declined } from '../declined.ts';

export interface LoginSlots {
  /** Waits for a free slot; rejects with `Declined` when none becomes free in time. */
  run<Result>(login: () => Promise<Result>): Promise<Result>;
}

export interface LoginSlotsSettings {
  readonly atOnce: number;
  readonly longestWaitMs: number;
  readonly clock: Clock;
}

/** Limits the logins that run at once, since each needs memory for its connections and TLS. The others wait in order. */
export function createLoginSlots({ atOnce, longestWaitMs, clock }: LoginSlotsSettings): LoginSlots {
  let free = atOnce;
  const waiting = new Set<() => void>();

  async function acquire(): Promise<void> {
    if (free > 0) {
      free -= 1;
      return;
    }
    const slot = Promise.withResolvers<undefined>();
    const start = (): void => slot.resolve(undefined);
    waiting.add(start);
    const decided = new AbortController();
    const timeout = clock.sleep(longestWaitMs, decided.signal).then(() => {
      // It may have got its slot at this very moment.
      if (waiting.delete(start)) throw new Declined(`${atOnce} other logins are under way`);
    });
    try {
      await Promise.race([slot.promise, timeout]);
    } finally {
      decided.abort(new Error('decided'));
    }
  }

  function release(): void {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else {
      waiting.delete(next);
      next();
    }
  }

  return {
    run: async (login) => {
      await acquire();
      try {
        return await login();
      } finally {
        release();
      }
    },
  };
}

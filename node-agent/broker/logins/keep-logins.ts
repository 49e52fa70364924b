import type { Clock } from '../../../lib/clock.ts';
import { endsSoon, isAlive, lifeMs, runErrand } from './errand.ts';
import type { Errand, Kept } from './errand.ts';
import { createLoginStore } from './login-store.ts';
import type { LoginStore, Stored } from './login-store.ts';
import { createSingleFlight } from './single-flight.ts';

export interface LoginsSettings {
  readonly clock: Clock;
  /** From 0 to below 1, for jitter. */
  readonly random: () => number;
  readonly events: LoginEvents;
}

export interface LoginEvents {
  /** `kept`: it was there · `shared`: it was on its way for somebody else · `asked`: for this one. */
  used(how: 'kept' | 'shared' | 'asked'): void;
  refreshed(result: 'done' | 'failed'): void;
}

export interface Logins {
  get(errand: Errand): Promise<Kept>;
  /** Without any effect. */
  peek(key: string): Kept | undefined;
  /** Asks anew for some of the node's logins that are past half of their life and still wanted, and forgets those that ended. */
  refreshDue(): Promise<void>;
  list(): readonly Kept[];
  clear(): void;
}

/** After a refresh that failed, with the login still good. */
const nextTryMs = 30_000;
/** Much less than the front end waits. */
const longestWaitMs = 5_000;
/** What nobody has asked for in so long is not asked for anew. */
const wantedMs = 24 * 3_600_000;
/** Most of the logins that may be under way at once are left to those who wait for them. */
const refreshesAtOnce = 5;

/**
 * One login for all who ask for the same thing, at the same time or later. Past half of its life the next one is asked
 * for while this one still answers; near its end that is waited for, shortly. As long as it lives, nobody notices a cloud
 * that is down.
 */
export function keepLogins({ clock, random, events }: LoginsSettings): Logins {
  const store = createLoginStore(clock);
  const underWay = createSingleFlight<Kept>();

  function fetch(errand: Errand): Promise<Kept> {
    return underWay.run(errand.key, (isCurrent) => renew(errand, isCurrent));
  }

  /** Rejects only when there is nothing to answer with. */
  async function renew(errand: Errand, isCurrent: () => boolean): Promise<Kept> {
    const before = store.get(errand.key);
    try {
      const kept = await runErrand(errand, clock);
      if (before !== undefined) events.refreshed('done');
      if (isCurrent() && isAlive(kept, clock)) store.put(kept, lifeMs(kept) * (0.4 + random() / 10));
      return kept;
    } catch (error) {
      if (before !== undefined) events.refreshed('failed');
      if (before === undefined || !isAlive(before.kept, clock)) throw error;
      before.freshUntilMs = clock.monotonicMs() + nextTryMs * (0.5 + random());
      return before.kept;
    }
  }

  return {
    get: async (errand) => {
      const stored = store.get(errand.key);
      if (stored === undefined || !isAlive(stored.kept, clock)) {
        store.delete(errand.key);
        events.used(underWay.has(errand.key) ? 'shared' : 'asked');
        return fetch(errand);
      }
      events.used('kept');
      store.use(stored);
      if (clock.monotonicMs() < stored.freshUntilMs) return stored.kept;
      const next = fetch(errand);
      if (endsSoon(stored.kept, clock)) return soonOr(stored.kept, next, clock);
      // Its failure was counted. It is told to whoever asks after the end of this one.
      next.catch(() => undefined);
      return stored.kept;
    },
    peek: (key) => store.get(key)?.kept,
    refreshDue: async () => {
      dropEnded(store, clock);
      const due = store.list().filter((stored) => isDue(stored, clock));
      const longestDueFirst = due.toSorted((a, b) => a.freshUntilMs - b.freshUntilMs);
      const errands = longestDueFirst.flatMap(({ kept }) => kept.refresh ?? []);
      await Promise.allSettled(errands.slice(0, refreshesAtOnce).map(fetch));
    },
    list: () => store.list().map(({ kept }) => kept),
    clear: () => {
      store.clear();
      underWay.clear();
    },
  };
}

function dropEnded(store: LoginStore, clock: Clock): void {
  for (const { kept } of store.list()) if (!isAlive(kept, clock)) store.delete(kept.errand.key);
}

function isDue({ kept, freshUntilMs, lastUseAtMs }: Stored, clock: Clock): boolean {
  const nowMs = clock.monotonicMs();
  return kept.refresh !== undefined && nowMs >= freshUntilMs && nowMs - lastUseAtMs < wantedMs;
}

/** The next login if it comes soon, else the one there is: it is good to the last moment. */
async function soonOr(good: Kept, next: Promise<Kept>, clock: Clock): Promise<Kept> {
  const decided = new AbortController();
  try {
    return await Promise.race([next, clock.sleep(longestWaitMs, decided.signal).then(() => good)]);
  } finally {
    decided.abort(new Error('decided'));
  }
}

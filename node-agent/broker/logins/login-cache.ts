import type { Clock } from '../../../lib/clock.ts';
import { expiresSoon, isValid, lifetimeMs, runLoginJob } from './login-job.ts';
import type { LoginJob, CachedLogin } from './login-job.ts';
import { createLoginStore } from './login-store.ts';
import type { LoginStore, LoginCacheEntry } from './login-store.ts';
import { createSingleFlight } from './single-flight.ts';

export interface LoginCacheSettings {
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

export interface LoginCache {
  get(job: LoginJob): Promise<CachedLogin>;
  /** Without any effect. */
  peek(key: string): CachedLogin | undefined;
  /** Asks anew for some of the node's logins that are past half of their life and still wanted, and forgets those that ended. */
  refreshDue(): Promise<void>;
  list(): readonly CachedLogin[];
  clear(): void;
}

/** After a refresh that failed, with the login still good. */
const retryDelayMs = 30_000;
/** Much less than the front end waits. */
const longestWaitMs = 5_000;
/** What nobody has asked for in so long is not asked for anew. */
const longestUnusedMs = 24 * 3_600_000;
/** Most of the logins that may be under way at once are left to those who wait for them. */
const refreshesAtOnce = 5;

/**
 * One login for all who ask for the same thing, at the same time or later. Past half of its life the next one is asked
 * for while this one still answers; near its end that is waited for, shortly. As long as it lives, nobody notices a cloud
 * that is down.
 */
export function createLoginCache({ clock, random, events }: LoginCacheSettings): LoginCache {
  const store = createLoginStore(clock);
  const inFlight = createSingleFlight<CachedLogin>();

  function fetch(job: LoginJob): Promise<CachedLogin> {
    return inFlight.run(job.key, (isCurrent) => renew(job, isCurrent));
  }

  /** Rejects only when there is nothing to answer with. */
  async function renew(job: LoginJob, isCurrent: () => boolean): Promise<CachedLogin> {
    const before = store.get(job.key);
    try {
      const cached = await runLoginJob(job, clock);
      if (before !== undefined) events.refreshed('done');
      if (isCurrent() && isValid(cached, clock)) store.put(cached, lifetimeMs(cached) * (0.4 + random() / 10));
      return cached;
    } catch (error) {
      if (before !== undefined) events.refreshed('failed');
      if (before === undefined || !isValid(before.cached, clock)) throw error;
      before.freshUntilMs = clock.monotonicMs() + retryDelayMs * (0.5 + random());
      return before.cached;
    }
  }

  return {
    get: async (job) => {
      const entry = store.get(job.key);
      if (entry === undefined || !isValid(entry.cached, clock)) {
        store.delete(job.key);
        events.used(inFlight.has(job.key) ? 'shared' : 'asked');
        return fetch(job);
      }
      events.used('kept');
      store.markUsed(entry);
      if (clock.monotonicMs() < entry.freshUntilMs) return entry.cached;
      const next = fetch(job);
      if (expiresSoon(entry.cached, clock)) return nextOrCurrent(entry.cached, next, clock);
      // Its failure was counted. It is told to whoever asks after the end of this one.
      next.catch(() => undefined);
      return entry.cached;
    },
    peek: (key) => store.get(key)?.cached,
    refreshDue: async () => {
      dropExpired(store, clock);
      const due = store.list().filter((entry) => isDue(entry, clock));
      const longestDueFirst = due.toSorted((a, b) => a.freshUntilMs - b.freshUntilMs);
      const jobs = longestDueFirst.flatMap(({ cached }) => cached.refresh ?? []);
      await Promise.allSettled(jobs.slice(0, refreshesAtOnce).map(fetch));
    },
    list: () => store.list().map(({ cached }) => cached),
    clear: () => {
      store.clear();
      inFlight.clear();
    },
  };
}

function dropExpired(store: LoginStore, clock: Clock): void {
  for (const { cached } of store.list()) if (!isValid(cached, clock)) store.delete(cached.job.key);
}

function isDue({ cached, freshUntilMs, lastUseAtMs }: LoginCacheEntry, clock: Clock): boolean {
  const nowMs = clock.monotonicMs();
  return cached.refresh !== undefined && nowMs >= freshUntilMs && nowMs - lastUseAtMs < longestUnusedMs;
}

/** The next login if it comes soon, else the one there is: it is good to the last moment. */
async function nextOrCurrent(current: CachedLogin, next: Promise<CachedLogin>, clock: Clock): Promise<CachedLogin> {
  const decided = new AbortController();
  try {
    return await Promise.race([next, clock.sleep(longestWaitMs, decided.signal).then(() => current)]);
  } finally {
    decided.abort(new Error('decided'));
  }
}

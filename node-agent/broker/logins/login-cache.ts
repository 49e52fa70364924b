import type { Clock } from '../../../lib/clock.ts';
import { expiresSoon, isValid, lifetimeMs, runLoginJob } from './login-job.ts';
import type { LoginJob, CachedLogin } from './login-job.ts';
import { createLoginStore } from './login-store.ts';
import type { LoginStore, LoginCacheEntry } from './login-store.ts';

export interface LoginCacheSettings {
  readonly clock: Clock;
  /** From 0 to below 1, for jitter. */
  readonly random: () => number;
  readonly events: LoginEvents;
}

export interface LoginEvents {
  /** `kept`: from the cache · `shared`: another request had already asked the cloud · `asked`: the cloud is asked now. */
  used(how: 'kept' | 'shared' | 'asked'): void;
  refreshed(result: 'done' | 'failed'): void;
}

export interface LoginCache {
  get(job: LoginJob): Promise<CachedLogin>;
  /** Without side effects. */
  peek(key: string): CachedLogin | undefined;
  /** Refreshes some of the node's logins that are due and still in use, and drops expired logins. */
  refreshDue(): Promise<void>;
  list(): readonly CachedLogin[];
  clear(): void;
}

/** After a failed refresh of a login that is still valid. */
const retryDelayMs = 30_000;
/** Much less than the front end waits. */
const longestWaitMs = 5_000;
/** A login that was not used for so long is not refreshed. */
const longestUnusedMs = 24 * 3_600_000;
/** Leaves most of the login slots to requests that wait. */
const refreshesAtOnce = 5;

/**
 * One login for all requests with the same key, at the same time or later. When 40 to 50 % of its life is over, a request
 * starts a refresh and still gets the current login; near its end the request waits for the refresh, for a short time.
 * While a login is valid, an unavailable cloud has no effect.
 */
export function createLoginCache({ clock, random, events }: LoginCacheSettings): LoginCache {
  const store = createLoginStore(clock);
  const inFlight = createSingleFlight<CachedLogin>();

  function fetch(job: LoginJob): Promise<CachedLogin> {
    return inFlight.run(job.key, (isCurrent) => renew(job, isCurrent));
  }

  /** Rejects only when there is no valid login either. */
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

  async function get(job: LoginJob): Promise<CachedLogin> {
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
    // A failure was counted, and requests see it when this login has expired.
    next.catch(() => undefined);
    return entry.cached;
  }

  return {
    get,
    peek: (key) => store.get(key)?.cached,
    refreshDue: async () => {
      dropExpired(store, clock);
      await Promise.allSettled(dueJobs(store, clock).slice(0, refreshesAtOnce).map(fetch));
    },
    list: () => store.list().map(({ cached }) => cached),
    clear: () => {
      store.clear();
      inFlight.clear();
    },
  };
}

interface SingleFlight<Result> {
  /** Joins the call for this key that is under way, or starts one. */
  run(key: string, work: (isCurrent: () => boolean) => Promise<Result>): Promise<Result>;
  has(key: string): boolean;
  /** Calls that are under way still return to their callers, but are no longer current, and no other caller joins them. */
  clear(): void;
}

function createSingleFlight<Result>(): SingleFlight<Result> {
  const inFlight = new Map<string, Promise<Result>>();

  function start(key: string, work: (isCurrent: () => boolean) => Promise<Result>): Promise<Result> {
    const isCurrent = (): boolean => inFlight.get(key) === started;
    const started = work(isCurrent).finally(() => {
      if (isCurrent()) inFlight.delete(key);
    });
    inFlight.set(key, started);
    return started;
  }

  return {
    run: (key, work) => inFlight.get(key) ?? start(key, work),
    has: (key) => inFlight.has(key),
    clear: () => inFlight.clear(),
  };
}

function dropExpired(store: LoginStore, clock: Clock): void {
  for (const { cached } of store.list()) if (!isValid(cached, clock)) store.delete(cached.job.key);
}

/** The one that has been due for the longest time comes first. */
function dueJobs(store: LoginStore, clock: Clock): readonly LoginJob[] {
  const due = store.list().filter((entry) => isDue(entry, clock.monotonicMs()));
  return due.toSorted((a, b) => a.freshUntilMs - b.freshUntilMs).flatMap(({ cached }) => cached.refresh ?? []);
}

function isDue({ cached, freshUntilMs, lastUseAtMs }: LoginCacheEntry, nowMs: number): boolean {
  return cached.refresh !== undefined && nowMs >= freshUntilMs && nowMs - lastUseAtMs < longestUnusedMs;
}

/** The next login if it comes soon, else the current one, which is valid until it expires. */
async function nextOrCurrent(current: CachedLogin, next: Promise<CachedLogin>, clock: Clock): Promise<CachedLogin> {
  const decided = new AbortController();
  try {
    return await Promise.race([next, clock.sleep(longestWaitMs, decided.signal).then(() => current)]);
  } finally {
    decided.abort(new Error('decided'));
  }
}

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../lib/clock.ts';
import { endsSoon, isAlive, lifeMs, runErrand } from './errand.ts';
import type { Errand, Kept } from './errand.ts';

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
  /** Asks anew for the node's logins that are past half of their life and still wanted, and forgets those that ended. */
  refreshDue(): Promise<void>;
  list(): readonly Kept[];
  clear(): void;
}

const loginsMax = 1_000;
const secretsMaxCharacters = 8_000_000;
/** After a refresh that failed, with the login still good. */
const nextTryMs = 30_000;
/** Much less than the front end waits. */
const longestWaitMs = 5_000;
/** What nobody has asked for in so long is not asked for anew. */
const wantedMs = 24 * 3_600_000;

/**
 * One login for all who ask for the same thing, at the same time or later. Past half of its life the next one is asked
 * for while this one still answers; near its end that is waited for, shortly. As long as it lives, a cloud that is down is
 * nobody's trouble.
 */
export function keepLogins(settings: LoginsSettings): Logins {
  const { clock, events } = settings;
  const underWay = new Set<string>();
  const lastUseAtMs = new WeakMap<Kept, number>();
  const cache = new LRUCache<string, Kept, Errand>({
    max: loginsMax,
    maxSize: secretsMaxCharacters,
    sizeCalculation: ({ login, errand: { token = '' } }) => login.password.reveal().length + token.length + 1,
    // Never 0, which is taken for "no time known".
    perf: { now: () => clock.monotonicMs() + 1 },
    ttlResolution: 0,
    allowStale: true,
    // Who was pushed out by others is still waited for.
    ignoreFetchAbort: true,
    fetchMethod: async (key, before, { options, context }) => {
      underWay.add(key);
      try {
        const { kept, freshMs } = await renew(before, context, settings);
        options.ttl = freshMs;
        lastUseAtMs.set(kept, (before && lastUseAtMs.get(before)) ?? clock.monotonicMs());
        return kept;
      } finally {
        underWay.delete(key);
      }
    },
  });
  const isDue = ([key, kept]: readonly [string, Kept]): boolean =>
    kept.errand.identity === 'node' &&
    cache.getRemainingTTL(key) <= 0 &&
    clock.monotonicMs() - (lastUseAtMs.get(kept) ?? 0) < wantedMs;
  const entries = (): readonly (readonly [string, Kept])[] => [...cache.entries()];
  return {
    get: async (errand) => {
      const { key } = errand;
      const there = cache.peek(key);
      const good = there !== undefined && isAlive(there, clock) ? there : undefined;
      events.used(howUsed(good !== undefined, underWay.has(key)));
      // The end of a login is wall time's, and the cache does not know it.
      const forceRefresh = there !== undefined && good === undefined;
      const allowStale = good !== undefined && !endsSoon(good, clock);
      const next = cache.fetch(key, { context: errand, allowStale, forceRefresh });
      const kept = await (good === undefined || allowStale ? next : soonOr(good, next, clock));
      if (kept === undefined) throw new Error('a login is neither there nor refused');
      if (kept.expiresAtMs === undefined) cache.delete(key);
      else lastUseAtMs.set(kept, clock.monotonicMs());
      return kept;
    },
    peek: (key) => cache.peek(key),
    refreshDue: async () => {
      for (const [key, kept] of entries()) if (!isAlive(kept, clock)) cache.delete(key);
      const due = entries().filter(isDue);
      // Why one failed was counted, and is said to whoever asks for it after its end.
      await Promise.allSettled(
        due.map(([key, { errand }]) => cache.fetch(key, { context: errand, allowStale: false, forceRefresh: true })),
      );
    },
    list: () => [...cache.keys()].flatMap((key) => cache.peek(key) ?? []),
    clear: () => cache.clear(),
  };
}

/** The next login if it comes soon, else the one there is: it is good to the last moment. */
async function soonOr(good: Kept, next: Promise<Kept | undefined>, clock: Clock): Promise<Kept | undefined> {
  const decided = new AbortController();
  try {
    return await Promise.race([next, clock.sleep(longestWaitMs, decided.signal).then(() => good)]);
  } finally {
    decided.abort(new Error('decided'));
  }
}

interface Renewed {
  readonly kept: Kept;
  /** How long nobody need ask again. */
  readonly freshMs: number;
}

/** Throws only when there is nothing to answer with. */
async function renew(
  before: Kept | undefined,
  errand: Errand,
  { clock, random, events }: LoginsSettings,
): Promise<Renewed> {
  try {
    const kept = await runErrand(errand, clock);
    if (before !== undefined) events.refreshed('done');
    return { kept, freshMs: Math.max(1, lifeMs(kept) * (0.4 + random() / 10)) };
  } catch (error) {
    if (before !== undefined) events.refreshed('failed');
    if (before === undefined || !isAlive(before, clock)) throw error;
    return { kept: before, freshMs: nextTryMs * (0.5 + random()) };
  }
}

function howUsed(isGood: boolean, isUnderWay: boolean): 'kept' | 'shared' | 'asked' {
  if (isGood) return 'kept';
  return isUnderWay ? 'shared' : 'asked';
}

import type { Clock } from '../clock.ts';

/** Caches results for a while. Concurrent calls with the same key share one result. */
export interface ResultCache<T> {
  /** Failures are not cached. */
  get(key: string, load: () => Promise<T>): Promise<T>;
}

export interface CacheBounds {
  readonly keptMs: number;
  /** The maximum number of results. The oldest one is removed first. */
  readonly maxEntries: number;
}

interface CacheEntry<T> {
  readonly result: Promise<T>;
  readonly expiresAtMs: number;
}

export function createResultCache<T>({ keptMs, maxEntries }: CacheBounds, clock: Clock): ResultCache<T> {
  const entries = new Map<string, CacheEntry<T>>();
  const makeRoom = (): void => {
    for (const key of entries.keys()) {
      if (entries.size < maxEntries) return;
      entries.delete(key);
    }
  };
  return {
    get: (key, load) => {
      const known = entries.get(key);
      if (known !== undefined && clock.monotonicMs() < known.expiresAtMs) return known.result;
      entries.delete(key);
      makeRoom();
      const entry = { result: load(), expiresAtMs: clock.monotonicMs() + keptMs };
      entries.set(key, entry);
      entry.result.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      return entry.result;
    },
  };
}

import type { Clock } from '../../../lib/clock.ts';
import type { CachedLogin } from './login-job.ts';

/** Logins by key, bounded in number and size: the least recently used login is dropped first. */
export interface LoginStore {
  get(key: string): LoginCacheEntry | undefined;
  put(cached: CachedLogin, freshMs: number): void;
  markUsed(entry: LoginCacheEntry): void;
  delete(key: string): void;
  clear(): void;
  list(): readonly LoginCacheEntry[];
}

export interface LoginCacheEntry {
  readonly cached: CachedLogin;
  /** On the monotonic clock. Until then it needs no refresh. */
  freshUntilMs: number;
  lastUseAtMs: number;
}

const loginsMax = 1_000;
const charactersMax = 8_000_000;

export function createLoginStore(clock: Clock): LoginStore {
  /** Ordered by use: the most recently used login is the last. */
  const byKey = new Map<string, LoginCacheEntry>();

  function dropUnused(): void {
    let characters = byKey.values().reduce((sum, entry) => sum + sizeOf(entry), 0);
    for (const [key, entry] of byKey) {
      if (byKey.size <= loginsMax && characters <= charactersMax) return;
      byKey.delete(key);
      characters -= sizeOf(entry);
    }
  }

  function moveToEnd(entry: LoginCacheEntry): void {
    const { key } = entry.cached.job;
    byKey.delete(key);
    byKey.set(key, entry);
  }

  return {
    get: (key) => byKey.get(key),
    put: (cached, freshMs) => {
      const nowMs = clock.monotonicMs();
      const lastUseAtMs = byKey.get(cached.job.key)?.lastUseAtMs ?? nowMs;
      moveToEnd({ cached, freshUntilMs: nowMs + freshMs, lastUseAtMs });
      dropUnused();
    },
    markUsed: (entry) => {
      Object.assign(entry, { lastUseAtMs: clock.monotonicMs() });
      moveToEnd(entry);
    },
    delete: (key) => void byKey.delete(key),
    clear: () => byKey.clear(),
    list: () => [...byKey.values()],
  };
}

function sizeOf({ cached: { login } }: LoginCacheEntry): number {
  return login.password.reveal().length;
}

import type { Clock } from '../../../lib/clock.ts';
import type { Kept } from './errand.ts';

/** Logins by their keys, bounded in number and size: the one that was not used for the longest time goes first. */
export interface LoginStore {
  get(key: string): Stored | undefined;
  put(kept: Kept, freshMs: number): void;
  use(stored: Stored): void;
  delete(key: string): void;
  clear(): void;
  list(): readonly Stored[];
}

export interface Stored {
  readonly kept: Kept;
  /** On the monotonic clock. Until then nobody need ask again. */
  freshUntilMs: number;
  lastUseAtMs: number;
}

const loginsMax = 1_000;
const charactersMax = 8_000_000;

export function createLoginStore(clock: Clock): LoginStore {
  /** The one that was used last is at the end. */
  const byKey = new Map<string, Stored>();

  function dropUnused(): void {
    let characters = byKey.values().reduce((sum, stored) => sum + sizeOf(stored), 0);
    for (const [key, stored] of byKey) {
      if (byKey.size <= loginsMax && characters <= charactersMax) return;
      byKey.delete(key);
      characters -= sizeOf(stored);
    }
  }

  function moveToEnd(stored: Stored): void {
    const { key } = stored.kept.errand;
    byKey.delete(key);
    byKey.set(key, stored);
  }

  return {
    get: (key) => byKey.get(key),
    put: (kept, freshMs) => {
      const nowMs = clock.monotonicMs();
      const lastUseAtMs = byKey.get(kept.errand.key)?.lastUseAtMs ?? nowMs;
      moveToEnd({ kept, freshUntilMs: nowMs + freshMs, lastUseAtMs });
      dropUnused();
    },
    use: (stored) => {
      Object.assign(stored, { lastUseAtMs: clock.monotonicMs() });
      moveToEnd(stored);
    },
    delete: (key) => void byKey.delete(key),
    clear: () => byKey.clear(),
    list: () => [...byKey.values()],
  };
}

function sizeOf({ kept: { login } }: Stored): number {
  return login.password.reveal().length;
}

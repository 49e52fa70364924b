import type { Clock } from '../clock.ts';

/** Remembers answers for a while; who asks for what is being asked already gets the same answer. */
export interface AnswerCache<T> {
  /** What fails is not remembered. */
  get(key: string, ask: () => Promise<T>): Promise<T>;
}

export interface CacheBounds {
  readonly keptMs: number;
  /** Of the answers, the oldest goes first. */
  readonly atMost: number;
}

interface Entry<T> {
  readonly answer: Promise<T>;
  readonly endsAtMs: number;
}

export function createAnswerCache<T>({ keptMs, atMost }: CacheBounds, clock: Clock): AnswerCache<T> {
  const entries = new Map<string, Entry<T>>();
  const makeRoom = (): void => {
    for (const key of entries.keys()) {
      if (entries.size < atMost) return;
      entries.delete(key);
    }
  };
  return {
    get: (key, ask) => {
      const known = entries.get(key);
      if (known !== undefined && clock.monotonicMs() < known.endsAtMs) return known.answer;
      entries.delete(key);
      makeRoom();
      const entry = { answer: ask(), endsAtMs: clock.monotonicMs() + keptMs };
      entries.set(key, entry);
      entry.answer.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      return entry.answer;
    },
  };
}

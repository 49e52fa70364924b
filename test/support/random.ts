/** Chance that can be had again: the same label gives the same values, on every machine. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(lowest: number, highest: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
  /** The first of each row says how often it is chosen, compared with the others. */
  pickWeighted<T>(rows: readonly (readonly [weight: number, choice: T])[]): T;
  characters(alphabet: string, length: number): string;
}

export function createRandom(label: string): Random {
  const next = mulberry32(hash(label));
  const between = (lowest: number, highest: number): number => lowest + Math.floor(next() * (highest - lowest + 1));
  const pick = <T>(choices: readonly T[]): T => choices[between(0, choices.length - 1)] as T;
  return {
    next,
    between,
    pick,
    chance: (probability) => next() < probability,
    pickWeighted: (rows) => pickWeighted(rows, next()),
    characters: (alphabet, length) =>
      Array.from({ length }, () => alphabet.charAt(between(0, alphabet.length - 1))).join(''),
  };
}

function pickWeighted<T>(rows: readonly (readonly [weight: number, choice: T])[], chance: number): T {
  let left = chance * rows.reduce((sum, [weight]) => sum + weight, 0);
  const row = rows.find(([weight]) => (left -= weight) < 0) ?? rows.at(-1);
  if (row === undefined) throw new Error('there is nothing to choose from');
  return row[1];
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  return [...Buffer.from(text)].reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
}

/** By Tommy Ettinger, in the public domain. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const first = Math.imul(state ^ (state >>> 15), state | 1);
    const second = first ^ (first + Math.imul(first ^ (first >>> 7), first | 61));
    return ((second ^ (second >>> 14)) >>> 0) / 2 ** 32;
  };
}

import { oddText, oddValue, word } from './odd-values.ts';
import type { Random } from '../../support/random.ts';

/** The same value but for one thing: a field dropped, renamed, of another type, nested or repeated somewhere else. */
export function mutateValue(random: Random, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return oddValue(random);
  const entries = Object.entries(value);
  const chosen = random.between(0, entries.length - 1);
  const entry = entries[chosen];
  if (entry === undefined) return oddValue(random);
  const changed: readonly Entry[] = entries.flatMap((each, index) =>
    index === chosen ? mutateEntry(random, entry) : [each],
  );
  return Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed);
}

type Entry = [name: string, value: unknown];

function mutateEntry(random: Random, [name, value]: Entry): Entry[] {
  const isNested = typeof value === 'object' && value !== null;
  // String() would throw for an object whose own `toString` is not a function.
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return random.pickWeighted<() => Entry[]>([
    [isNested ? 12 : 0, () => [[name, mutateValue(random, value)]]],
    [3, () => []],
    [2, () => [[random.pick([name.toUpperCase(), name.toLowerCase(), `${name}s`, word(random)]), value]]],
    [6, () => [[name, oddValue(random)]]],
    [1, () => [[name, [value]]]],
    [1, () => [[name, text]]],
    [1, () => [[name, typeof value === 'string' ? mutateText(random, value) : oddValue(random)]]],
    [
      1,
      () => [
        [name, value],
        [oddText(random), oddValue(random)],
      ],
    ],
  ])();
}

/** The same text but for one place. */
export function mutateText(random: Random, text: string): string {
  const [at, until] = [random.between(0, text.length), random.between(0, text.length)].toSorted((a, b) => a - b);
  const [before, inside, after] = [text.slice(0, at), text.slice(at, until), text.slice(until)];
  return random.pickWeighted<() => string>([
    [3, () => before + oddText(random) + inside + after],
    [2, () => before + after],
    [2, () => before + inside],
    [1, () => before + inside + inside + after],
    [2, () => before + random.characters('.:/@%#?[]{}",\\\t\n \u0001\u00e9', 1) + inside + after],
    [1, () => `\uFEFF${text}`],
    [1, () => text.toUpperCase()],
    [1, () => text + random.pick(['\n', ' ', '\0', '}', '{}', text])],
  ])();
}

/** The same bytes but for one of them, which no longer need be UTF-8. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  const at = random.between(0, bytes.length);
  const odd = Buffer.from([random.pick([0x00, 0x0a, 0x0d, 0x7f, 0x80, 0xc0, 0xed, 0xfe, 0xff])]);
  const rest = bytes.subarray(random.chance(0.5) ? at : at + 1);
  return Buffer.concat([bytes.subarray(0, at), odd, rest]);
}

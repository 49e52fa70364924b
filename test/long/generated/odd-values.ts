import { secretMarker } from '../../lab/clouds/secrets.ts';
import type { Random } from '../../support/random.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const keyCharacters = `${letters}${letters.toUpperCase()}0123456789+/`;

/** A value like a cloud's own: its usual beginning, the marker, then as many characters as are missing. */
export function secretText(random: Random, beginning: string, length: number): string {
  return `${beginning}${secretMarker}${random.characters(keyCharacters, length)}`.slice(0, length);
}

export function word(random: Random): string {
  return random.characters(letters, random.between(1, 12));
}

const texts: readonly string[] = [
  '',
  ' ',
  '\n',
  '\0',
  '\u001b[31m',
  '\r\nset-cookie: a=b',
  'null',
  '__proto__',
  'constructor',
  'toString',
  '-1',
  'NaN',
  '../../../etc/passwd',
  '${HOME}',
  '%s%n%00',
  '<a>&lt;</a>',
  '"\'`\\',
  'ｆｕｌｌ',
  'аpple',
  '\u202Eright-to-left',
  '\uFEFF',
  '\u2028',
  '💥',
  '\uD800',
  'x'.repeat(70),
  'x'.repeat(5_000),
];

/** Never a secret: a message may quote a name with this value. */
export function oddText(random: Random): string {
  return random.pickWeighted([
    [6, random.pick(texts)],
    [2, word(random)],
    [1, 'y'.repeat(random.between(200, 100_000))],
  ]);
}

/** Values of an unexpected type. */
export function oddValue(random: Random): unknown {
  return random.pickWeighted<() => unknown>([
    [6, () => oddText(random)],
    [2, () => null],
    [1, () => random.chance(0.5)],
    [3, () => random.pick([0, -1, 1e300, 8.64e15, 8.64e15 + 1, 2 ** 53, -8.64e15, 1e-9])],
    [1, () => []],
    [1, () => [oddText(random)]],
    [1, () => ({})],
    [1, () => JSON.parse('{"__proto__":{"image":"evil.example/a"}}') as unknown],
    [1, () => deep(random.between(2, 1_000))],
  ])();
}

function deep(levels: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

import t from 'tap';
import { parseGoDuration, printGoDuration } from '../../lib/go-duration.ts';

const pairs: readonly (readonly [durationMs: number, text: string])[] = [
  [0, '0s'],
  [1, '1ms'],
  [999, '999ms'],
  [1_000, '1s'],
  [1_500, '1.5s'],
  [59_000, '59s'],
  [60_000, '1m0s'],
  [61_000, '1m1s'],
  [90_250, '1m30.25s'],
  [3_599_000, '59m59s'],
  [3_600_000, '1h0m0s'],
  [3_661_000, '1h1m1s'],
  [21_543_000, '5h59m3s'],
  [43_200_000, '12h0m0s'],
];

for (const [durationMs, text] of pairs) {
  await t.test(`${durationMs} ms is ${text} in Go, and back`, (t) => {
    t.equal(printGoDuration(durationMs), text);
    t.equal(parseGoDuration(text), durationMs);
    t.end();
  });
}

const otherForms: readonly (readonly [text: string, durationMs: number])[] = [
  ['0', 0],
  ['1h', 3_600_000],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['1.s', 1_000],
  ['250us', 0.25],
  ['250µs', 0.25],
  ['250μs', 0.25],
  ['100ns', 0.0001],
  ['1s1m', 61_000],
];

for (const [text, durationMs] of otherForms) {
  await t.test(`${text} is ${durationMs} ms`, (t) => {
    t.ok(Math.abs((parseGoDuration(text) ?? Number.NaN) - durationMs) < 1e-9);
    t.end();
  });
}

const noDurations = ['', '1', '00', 's', '1 s', '-1s', '+1s', '1d', '1S', '.s', '1..5s', '1s ', '1s\n', '1e3s', 'x'];

for (const text of [...noDurations, `${'1'.repeat(80)}s`]) {
  await t.test(`${JSON.stringify(text.slice(0, 20))} is not a duration`, (t) => {
    t.equal(parseGoDuration(text), undefined);
    t.end();
  });
}

import t from 'tap';
import { createLineSplitter } from '../../../../lib/kubernetes/watch/line-splitter.ts';

const lines = ['{"a":1}', '', '{"name":"größe — 節點 🚀"}', 'x'.repeat(50)];
const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
const tooLong = (): Error => new Error('too long');

await t.test('however the bytes are cut, the lines are the same', (t) => {
  for (let size = 1; size <= bytes.length; size++) {
    const split = createLineSplitter(1_000, tooLong);
    const found: string[] = [];
    for (let at = 0; at < bytes.length; at += size) found.push(...split(bytes.subarray(at, at + size)));
    t.strictSame(found, lines, `pieces of ${size}`);
  }
  t.end();
});

await t.test('an incomplete line is not returned', (t) => {
  const split = createLineSplitter(1_000, tooLong);
  t.strictSame(split(Buffer.from('{"a"')), []);
  t.strictSame(split(Buffer.from(':1}\n{"b')), ['{"a":1}']);
  t.end();
});

await t.test('a line may be as long as allowed, and not a byte longer', (t) => {
  const split = createLineSplitter(8, tooLong);
  t.strictSame(split(Buffer.from('12345678\n1234\n')), ['12345678', '1234']);
  t.strictSame(split(Buffer.from('12345678')), []);
  t.throws(() => split(Buffer.from('9')), { message: 'too long' });
  t.end();
});

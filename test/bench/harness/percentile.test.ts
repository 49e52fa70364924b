import t from 'tap';
import { percentiles } from '../../../bench/harness/percentile.ts';

await t.test('nearest rank, whatever the order', (t) => {
  const oneToHundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  t.strictSame(percentiles(oneToHundred), { p50: 50, p95: 95 });
  t.strictSame(percentiles([3, 1, 2]), { p50: 2, p95: 3 });
  t.strictSame(percentiles([10, 9, 100]), { p50: 10, p95: 100 });
  t.strictSame(percentiles([7]), { p50: 7, p95: 7 });
  t.end();
});

await t.test('nothing measured is an error, not a zero', (t) => {
  t.throws(() => percentiles([]), { message: 'nothing was measured' });
  t.end();
});

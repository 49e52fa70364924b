import type { Test } from 'tap';
import { simulate } from './simulate.ts';

/** As many cases of one seed, or only the one that `POLYCLOUD_TEST_CASE` names. */
export async function runSimulations(t: Test, defaultSeed: string, count: number): Promise<void> {
  const seed = process.env['POLYCLOUD_TEST_SEED'] ?? defaultSeed;
  const only = process.env['POLYCLOUD_TEST_CASE'];
  const cases = only === undefined ? Array.from({ length: count }, (_, at) => String(at)) : [only];
  const seen = { evicted: 0, deleted: 0, drains: 0 };
  const failed: string[] = [];
  for (const each of cases) {
    const { violations, ...counts } = await simulate(`${seed} ${each}`);
    if (violations.length > 0) {
      failed.push(each);
      t.strictSame(violations.slice(0, 3), [], `POLYCLOUD_TEST_SEED=${seed} POLYCLOUD_TEST_CASE=${each}`);
    }
    for (const key of ['evicted', 'deleted', 'drains'] as const) seen[key] += counts[key];
  }
  t.strictSame(failed, []);
  if (only !== undefined) return;
  for (const [key, sum] of Object.entries(seen)) t.ok(sum > count / 4, `${key}: ${String(sum)}`);
}

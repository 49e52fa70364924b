import t from 'tap';
import { simulate } from './simulation/simulation.ts';

const rounds = Number(process.env['POLYCLOUD_TEST_ROUNDS'] ?? '1') * 4;

await t.test(
  'whatever clouds and API server do, nothing that runs is deleted, and no Node waits longer than it may',
  async (t) => {
    const seen = { initialized: 0, deleted: 0, tainted: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const label = `node controller ${round}`;
      const { violations, ...counts } = await simulate(label);
      t.strictSame(violations.slice(0, 3), [], `seed "${label}"`);
      for (const key of ['initialized', 'deleted', 'tainted'] as const) seen[key] += counts[key];
    }
    for (const [key, count] of Object.entries(seen)) t.ok(count > rounds, `${count} ${key}`);
  },
);

import t from 'tap';
import { simulateRoutes } from './simulation.ts';

const rounds = Number(process.env['POLYCLOUD_TEST_ROUNDS'] ?? '1') * 6;

await t.test(
  'whatever cloud and Nodes do, no route is removed that may be needed, and all are right at the end',
  async (t) => {
    const seen = { created: 0, removed: 0, restarts: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const label = `routes ${round}`;
      const { violations, ...counts } = await simulateRoutes(label);
      t.strictSame(violations.slice(0, 3), [], `seed "${label}"`);
      for (const key of ['created', 'removed', 'restarts'] as const) seen[key] += counts[key];
    }
    for (const [key, count] of Object.entries(seen)) t.ok(count > rounds, `${count} ${key}`);
  },
);

import { randomBytes } from 'node:crypto';
import t from 'tap';
import { runSimulations } from '../../node-agent/interruption/simulation/run-simulations.ts';

const rounds = Number(process.env['POLYCLOUD_TEST_ROUNDS'] ?? '20');

t.setTimeout(10 * 60_000);

await t.test('random notices, pods and failures, with a new seed each time', (t) =>
  runSimulations(t, randomBytes(4).toString('hex'), rounds * 100),
);

import { randomBytes } from 'node:crypto';
import t from 'tap';
import { createRandom } from '../../../support/random.ts';
import { killRepeatedly } from './repeated-kills.ts';
import { isFull, onCluster, rounds } from './on-cluster.ts';

/** A round is what a person waits for. The full rounds are 100 kills, on several control planes side by side. */
const killsEachRound = 5;
const planes = isFull ? 3 : 1;
const kills = Math.ceil((killsEachRound * rounds) / planes);
const seed = process.env['POLYCLOUD_TEST_SEED'] || randomBytes(4).toString('hex');

t.comment(
  `seed ${seed}; the same again: POLYCLOUD_TEST_SEED=${seed} node test/system/api-server/ccm/repeated-kills.test.ts`,
);
t.jobs = planes;
const tests = Array.from({ length: planes }, (_, plane) =>
  onCluster(`killed ${kills} times at random moments (seed ${seed}, plane ${plane})`, (t, world) =>
    killRepeatedly(t, world, { kills, random: createRandom(`${seed} ${String(plane)}`) }),
  ),
);
await Promise.all(tests);

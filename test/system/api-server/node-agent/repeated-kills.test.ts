import { randomBytes } from 'node:crypto';
import t from 'tap';
import { requires } from '../../../lab/requires.ts';
import { createRandom } from '../../../support/random.ts';
import { environmentSupport, startAgentEnvironment } from './environment.ts';
import { killRepeatedly } from './repeated-kills.ts';

/** The long tests have more drains. */
const plan = { drains: 1, kills: 8, killsOfUndo: 2 };
const seed = process.env['POLYCLOUD_TEST_SEED'] || randomBytes(4).toString('hex');
t.setTimeout(240_000);

await t.test(
  `an agent that is killed at 10 random moments of a drain (seed ${seed})`,
  { ...requires(await environmentSupport()), timeout: 240_000 },
  async (t) => killRepeatedly(t, await startAgentEnvironment(t), { ...plan, random: createRandom(seed) }),
);

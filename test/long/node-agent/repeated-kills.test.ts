import { randomBytes } from 'node:crypto';
import t from 'tap';
import { requires } from '../../lab/requires.ts';
import { createRandom } from '../../support/random.ts';
import { environmentSupport, startAgentEnvironment } from '../../system/api-server/node-agent/environment.ts';
import { killRepeatedly } from '../../system/api-server/node-agent/repeated-kills.ts';

const plan = { drains: 5, kills: 8, killsOfUndo: 2 };
const seed = process.env['POLYCLOUD_TEST_SEED'] || randomBytes(4).toString('hex');
const timeout = 600_000;
t.setTimeout(timeout);

await t.test(
  `an agent that is killed at 50 random moments of five drains (seed ${seed})`,
  { ...requires(await environmentSupport()), timeout },
  async (t) => killRepeatedly(t, await startAgentEnvironment(t), { ...plan, random: createRandom(seed) }),
);

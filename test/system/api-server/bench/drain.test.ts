import { fileURLToPath } from 'node:url';
import t from 'tap';
import { replayDay } from '../../../../bench/agent/day.ts';
import { drainOnce } from '../../../../bench/agent/drain.ts';
import { openAgentFixture } from '../../../../bench/agent/fixture.ts';
import type { AgentFixture } from '../../../../bench/agent/fixture.ts';
import { ownAgent } from '../../../../bench/agent/subjects.ts';
import type { AgentSubject } from '../../../../bench/agent/subjects.ts';
import { findPrograms } from '../../../lab/control-plane/find-programs.ts';
import { requires } from '../../../lab/requires.ts';

const podCount = 4;
const workload = { podCount, pollShare: 0 };
t.setTimeout(240_000);

await t.test(
  'what an agent does when its instance is about to go is measured',
  requires(await findPrograms()),
  async (t) => {
    const fixture = await openAgentFixture(() => undefined);
    t.teardown(() => fixture.stop());
    const ours = await ownAgent(fixture);

    await t.test('ours', async (t) => {
      const { start, notice } = await drainOnce(fixture, ours, workload);
      t.ok(Number(start['initialised after, s']) > 0);
      const readS = Number(notice['read after, s']);
      const cordonedS = Number(notice['the Node is cordoned after, s']);
      const askedS = notice['the last one is asked to go after, s'];
      t.ok(0 < readS && readS < cordonedS && cordonedS < askedS, `${readS}, ${cordonedS}, ${askedS}`);
      t.ok(Number(notice['peak RssAnon, MB']) > 1);
    });

    await t.test('two hours of a day', async (t) => {
      const values = await replayDay(fixture, ours, { hours: 2, settleMs: 100 });
      t.ok(Number(values['settled RssAnon, MB']) > 1);
      t.equal(values['writes of the Node by the agent'], 6, 'two to initialise it, marks and condition, on and off');
    });

    await t.test('a careless one', async (t) => {
      const { notice } = await drainOnce(fixture, careless(fixture), workload);
      t.equal(notice['the Node is cordoned after, s'], Infinity, 'never');
      t.ok(Number(notice['from the read to the last pod, s']) >= 0.2 * podCount, 'one after the other');
    });

    await t.test('one that ends', async (t) => {
      const broken = {
        ...careless(fixture),
        args: () => Promise.resolve(['-e', 'console.error("out of order"); process.exit(1)']),
      };
      await t.rejects(drainOnce(fixture, broken, workload), /ended with exit code 1:\nout of order/);
    });
  },
);

function careless({ plane, aws }: AgentFixture): AgentSubject {
  const script = fileURLToPath(new URL('careless-agent.ts', import.meta.url));
  const nodeName = 'careless';
  return {
    name: 'termination handler',
    nodeName,
    file: process.execPath,
    userAgent: 'careless/',
    env: {},
    pollMs: 200,
    endSignal: 'SIGKILL',
    args: () =>
      Promise.resolve([script, '--kubeconfig', plane.adminKubeconfig, '--imds', aws.url('imds'), '--node', nodeName]),
  };
}

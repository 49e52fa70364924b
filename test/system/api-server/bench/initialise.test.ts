import { fileURLToPath } from 'node:url';
import t from 'tap';
import type { ControllerSubject } from '../../../../bench/ccm/subjects.ts';
import { ownSubject } from '../../../../bench/ccm/subjects.ts';
import { startAws } from '../../../../bench/ccm/clouds/aws.ts';
import { initialise } from '../../../../bench/ccm/initialise.ts';
import { openControllerFixture } from '../../../../bench/ccm/fixture.ts';
import type { ControllerFixture } from '../../../../bench/ccm/fixture.ts';
import { findPrograms } from '../../../lab/control-plane/find-programs.ts';
import { requires } from '../../../lab/requires.ts';

const found = await findPrograms();
const count = 5;
const course = { count, knownBy: 'providerID', latencyMs: 5, settleMs: 500 } as const;

await t.test('what a controller does to new Nodes is measured', requires(found), async (t) => {
  const place = await openControllerFixture(startAws, () => undefined);
  t.teardown(() => place.stop());

  await t.test('ours, whether they are there or come later', async (t) => {
    const ours = ownSubject(place);
    const { values: seen } = await initialise(place, ours, course);
    t.match(seen, { 'node writes per node': 2, 'event writes per node': 1, 'schedulable without address': 0 });
    t.ok(seen['cloud calls'] >= 1 && seen['cloud calls'] <= 2, 'one for all, and one to say who asks');
    t.ok(seen['initialised after, s'] > 0);
    const { values: later } = await initialise(place, ours, { ...course, knownBy: 'name', arrivingPerSecond: 20 });
    t.match(later, { 'node writes per node': 2, 'schedulable without address': 0 });
    t.ok(later['after the last came, s'] <= later['initialised after, s']);
  });

  await t.test('a careless one', async (t) => {
    const { values: seen } = await initialise(place, careless(place), course);
    t.match(seen, {
      'cloud calls': count,
      'node writes per node': 4,
      'event writes per node': 0,
      'schedulable without address': count,
    });
  });

  await t.test('one that ends', async (t) => {
    const broken = {
      ...careless(place),
      args: async () => ['-e', 'console.error("out of order"); process.exitCode = 1'],
    };
    await t.rejects(initialise(place, broken, course), /ended with exit code 1:\nout of order/);
  });
});

function careless({ plane, cloud }: ControllerFixture): ControllerSubject {
  const script = fileURLToPath(new URL('careless-controller.ts', import.meta.url));
  return {
    name: 'peer, tuned',
    file: process.execPath,
    userAgent: 'careless/',
    env: {},
    args: async () => [script, '--kubeconfig', plane.adminKubeconfig, '--ec2', cloud.env['AWS_ENDPOINT_URL_EC2'] ?? ''],
  };
}

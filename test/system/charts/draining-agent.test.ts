import t from 'tap';
import { aws } from '../../lab/clouds/aws/cloud.ts';
import { runOnLoopback } from '../../lab/clouds/loopback.ts';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { controlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { freePort } from '../../lab/control-plane/free-port.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { isUnmarked, marksOf } from '../api-server/node-agent/marks.ts';
import { isInitialized, readNode, untilNode } from '../api-server/node-agent/nodes.ts';
import { createPod, createPodNamespace, endPods, podsOn, protectPod } from '../api-server/node-agent/pods.ts';
import { foreignTaints, newNode } from './agent-permissions.ts';
import { checkRights, startAsPod } from './as-pod.ts';
import { render } from '../../lab/helm/chart.ts';
import { apply, callerWith, createNode, tokenOfPod } from './cluster.ts';
import { waitForPolicies } from './wait-for-policies.ts';

const [programs, helm] = [await findPrograms(), await findHelm()];
const workload = { kind: 'DaemonSet', name: 'polycloud-node-agent' };
const rights = ['patch nodes', 'list pods', 'watch pods', 'create pods', 'delete pods', 'create events'];
const timeout = 240_000;
t.setTimeout(timeout);

const supported = requires(programs.available ? helm : programs);
await t.test('an agent drains its Node with the permissions of the chart', { ...supported, timeout }, async (t) => {
  const plane = await controlPlaneFor(t, { parts: [] });
  const directory = t.testdir({});
  const lab = await runOnLoopback(aws, { plain: Object.keys(aws.services) });
  t.teardown(lab.stop);
  const manifests = await render({
    config: { interruption: { marginMs: 2_000 } },
    ccm: { enabled: false },
    agent: {
      cloud: 'aws',
      port: await freePort(),
      bindAddress: '127.0.0.1',
      interruption: { mode: 'drain' },
      extraArgs: [`--status-socket=${directory}/agent.sock`],
    },
  });
  await apply(plane, manifests);
  for (const name of ['own', 'other']) await createNode(plane, newNode(name));
  const token = await tokenOfPod(plane, manifests, { ...workload, nodeName: 'own' });
  await waitForPolicies(callerWith(plane, token));
  await createPodNamespace({ plane });
  for (const name of ['web', 'protected']) await createPod({ plane }, { name, nodeName: 'own', graceSeconds: 30 });
  await protectPod({ plane }, 'protected');
  await createPod({ plane }, { name: 'elsewhere', nodeName: 'other' });
  const env = { NODE_NAME: 'own', AWS_EC2_METADATA_SERVICE_ENDPOINT: lab.url('imds') };
  const said = await startAsPod(t, { plane, manifests, token, workload, env, directory });
  await untilNode({ plane }, 'own', 'is initialised', isInitialized);
  const { taints } = (await readNode({ plane }, 'own')).spec;
  t.match(taints, foreignTaints);

  const time = new Date(Date.now() + 20_000).toISOString();
  await lab.update({ metadata: { 'meta-data/spot/instance-action': JSON.stringify({ action: 'stop', time }) } });
  await untilNode({ plane }, 'own', 'is marked', (node) => marksOf(node) === 'ends:NoSchedule cordon');
  const ended = endPods({ plane, atEnd: (action) => t.teardown(action) }, 'own');
  await waitUntil({ what: 'all pods are gone', withinMs: 60_000, everyMs: 100 }, async () =>
    (await podsOn({ plane }, 'own')).length === 0 ? true : undefined,
  );
  t.strictSame([...ended.keys()], ['web', 'protected']);
  t.equal((await podsOn({ plane }, 'other')).length, 1);
  await waitUntil({ what: 'it is finished', withinMs: 30_000, everyMs: 100 }, () =>
    Promise.resolve(said().includes('"Drain finished"') || undefined),
  );

  await lab.update({ metadata: { 'meta-data/spot/instance-action': null } });
  const after = await untilNode({ plane }, 'own', 'is as before', isUnmarked);
  t.strictSame(after.spec.taints, taints, 'with the taints of others');
  t.equal(after.spec.unschedulable, undefined);

  await checkRights(t, plane, workload.name, rights);
  t.notMatch(said(), /forbidden|denied/);
});

import t from 'tap';
import type { Test } from 'tap';
import { isReady } from '../../../../lib/node/read-node.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { refused } from '../../charts/agent-permissions.ts';
import { checkRights } from '../../charts/as-pod.ts';
import { callerWith, createNode } from '../../charts/cluster.ts';
import { waitForPolicies } from '../../charts/wait-for-policies.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { findHelm } from '../../../lab/helm/find-helm.ts';
import { requires } from '../../../lab/requires.ts';
import { nodeFor } from '../../../lab/node/for-test.ts';
import { nodeSupport } from '../../../lab/node/support.ts';
import { isInitialized, untilNode, warningsOn, writesBy } from '../../api-server/node-agent/nodes.ts';
import { watchNode } from '../../api-server/node-agent/watch-node.ts';
import { imageSupport, programImages } from '../../../lab/helm/program-images.ts';
import { findPodProcess } from './pod-process.ts';
import { deletePod, waitForAgent, waitForReplicas } from './release-pods.ts';
import { awsValues, helm } from '../../../lab/helm/release.ts';
import { checkReleaseOnAws } from './release-on-aws.ts';
import { runStatusLines } from './status-lines.ts';

const [agent, ccm] = ['polycloud-node-agent', 'polycloud-ccm'];
const missing = [await nodeSupport(), await findHelm(), imageSupport()].find(({ available }) => !available);

t.setTimeout(600_000);

await t.test('the chart in a cluster of one node', requires(missing ?? { available: true }), async (t) => {
  const images = await programImages(['polycloud-ccm', 'polycloud-node-agent']);
  t.teardown(images.remove);
  await t.test('on a new node', (t) => checkOnNewNode(t, images.files));
  await t.test('a release with the broker', (t) => checkReleaseOnAws(t, images.files));
});

async function checkOnNewNode(t: Test, images: readonly string[]): Promise<void> {
  const node = await nodeFor(t, 'aws', { kubeletArguments: ['--node-ip=10.0.0.20'] });
  const { plane, name } = node;
  const { aws } = node.clouds;
  for (const file of images) await node.importArchive(file);
  const seen = await watchNode({ plane, atEnd: (action) => t.teardown(action) }, await node.getNode());
  await helm(['install'], plane, awsValues);

  await t.test('the agent’s pod initialises its Node, addresses first', async (t) => {
    await untilNode({ plane }, name, 'is initialised', isInitialized);
    const { startedAtMs } = await findPodProcess(node, agent);
    const [addresses, rest, ...more] = await writesBy({ plane }, agent, name);
    t.same(more, []);
    t.match(addresses?.requestObject, { status: { addresses: [{ type: 'InternalIP', address: '10.0.0.20' }] } });
    t.match(rest?.requestObject, { spec: { providerID: /^aws:\/\/\/us-west-2b\/i-/ } });
    const tookMs = Date.parse(rest?.stageTimestamp ?? '') - startedAtMs;
    // How long it may take is tested without a kubelet: here other pods start at the same time.
    t.comment(`${String(Math.round(tookMs))} ms after its process started`);
    await waitUntil({ what: 'the watch has seen it', withinMs: 10_000, everyMs: 50 }, () =>
      Promise.resolve(seen.some(isInitialized) || undefined),
    );
    t.same(
      seen.filter((state) => isInitialized(state) && !hasAddress(state)),
      [],
      'never schedulable without an address',
    );
  });

  await t.test('its probes work, and the controller leaves the Node to it', async (t) => {
    const pods = [await waitForAgent(plane), ...(await waitForReplicas(plane))];
    for (const { status } of pods) t.match(status.containerStatuses, [{ restartCount: 0 }]);
    await untilLookedUp('ec2', '/', 1);
    t.same(await writesBy({ plane }, ccm, name), []);
    await checkRights(t, plane, agent, ['list nodes', 'watch nodes', 'patch nodes']);
    await checkRights(t, plane, ccm, ['list nodes', 'watch nodes']);
  });

  await t.test('the controller shows its status page by the lines of the guide', async (t) => {
    const { code, stdout, stderr } = await runStatusLines(plane);
    t.equal(code, 0, stderr);
    t.match(stdout, /^(?:leading|following .*)\nnodes: 1, not Ready 0, not initialised 0\n/m);
  });

  await t.test('its own token changes no other Node', async (t) => {
    await createNode(plane, { metadata: { name: 'other', labels: { 'polycloud.dev/cloud': 'false' } } });
    const caller = callerWith(plane, (await findPodProcess(node, agent)).token);
    await waitForPolicies(caller);
    for (const what of ['label another Node', 'set another Node’s addresses', 'initialise another Node']) {
      const wish = refused[what]?.[0];
      if (wish === undefined) throw new Error(`no longer in the table: ${what}`);
      const { status, message } = await caller.ask(wish);
      t.equal(status, 403, what);
      t.match(message, `this pod runs on ${name}`, what);
    }
    t.match(await caller.ask({ method: 'DELETE', path: '/api/v1/nodes/other' }), { status: 403 });
  });

  await t.test('a second start writes nothing', async (t) => {
    const first = await waitForAgent(plane);
    await deletePod(plane, first);
    await waitForAgent(plane, first.metadata.name);
    await checkUnchanged(t);
  });

  const restarts: Readonly<Record<string, () => Promise<void>>> = {
    'the kubelet': async () => {
      await node.killPart('kubelet');
      await node.startPart('kubelet');
    },
    containerd: async () => {
      await node.stopPart('containerd');
      await node.startPart('containerd');
    },
    'the API server': async () => {
      await plane.stopApiServer();
      await plane.startApiServer();
    },
  };
  for (const [what, restart] of Object.entries(restarts)) {
    await t.test(`${what} is restarted, and nothing changes`, async (t) => {
      const before = await waitForAgent(plane);
      await restart();
      await checkUnchanged(t);
      const { metadata, status } = await waitForAgent(plane);
      t.equal(metadata.name, before.metadata.name);
      t.equal(status.containerStatuses?.[0]?.containerID, before.status.containerStatuses?.[0]?.containerID);
      await waitForReplicas(plane);
    });
  }

  await t.test('an upgrade replaces both replicas of the controller, although there is one node', async (t) => {
    const before = await waitForReplicas(plane);
    await helm(['upgrade', '--wait'], plane, { ...awsValues, ccm: { ...awsValues.ccm, verbosity: 1 } });
    const after = await waitForReplicas(
      plane,
      before.map(({ metadata }) => metadata.name),
    );
    for (const { spec, status } of after) {
      t.equal(spec.nodeName, name);
      t.ok(spec.containers[0]?.args.includes('-v=1'));
      t.match(status.containerStatuses, [{ restartCount: 0 }]);
    }
    await untilLookedUp('ec2', '/', 2);
  });

  await t.test('and no program logged a problem', async (t) => {
    const ours = (await warningsOn({ plane }, name)).filter(({ message }) => message.includes('hint:'));
    t.same(ours, []);
  });

  /** Both have looked again, several times, and neither has written. */
  async function checkUnchanged(t: Test): Promise<void> {
    await untilLookedUp('imds', '/macs/', 3);
    await untilLookedUp('ec2', '/', 2);
    const now = await untilNode({ plane }, name, 'is Ready', isReady);
    t.ok(isInitialized(now) && hasAddress(now));
    t.equal((await writesBy({ plane }, agent, name)).length, 2);
    t.equal((await writesBy({ plane }, ccm, name)).length, 0);
  }

  /** By a path that stands for one round of questions. */
  async function untilLookedUp(service: string, pathEnd: string, times: number): Promise<void> {
    const count = async (): Promise<number> =>
      (await aws.requests()).filter((request) => request.service === service && request.path.endsWith(pathEnd)).length;
    const before = await count();
    await waitUntil({ what: `${service} is asked again`, withinMs: 60_000, everyMs: 100 }, async () =>
      (await count()) >= before + times ? true : undefined,
    );
  }
}

function hasAddress({ status }: Node): boolean {
  return (status.addresses ?? []).some(({ type }) => type === 'InternalIP');
}

import t from 'tap';
import { KubernetesError } from '../../../lib/kubernetes/kubernetes-error.ts';
import type { Node } from '../../../schemas/kubernetes.ts';
import { nodeWith } from '../node-object.ts';
import { down, instance, startHarness } from './harness.ts';
import type { SyncLoopHarness } from './harness.ts';

const driftIsRepairedWithinMs = 90_000;
const zoneLabel = 'topology.kubernetes.io/zone';
const apiServerDown = new KubernetesError('unavailable', 'the API server is away', { remedy: 'wait' });

function withLabels(node: Node, labels: Readonly<Record<string, string>>): Node {
  return { ...node, metadata: { ...node.metadata, labels } };
}

async function initialized(): Promise<SyncLoopHarness> {
  const harness = startHarness(nodeWith({ isNew: true }));
  await harness.clock.advance(0);
  return harness;
}

await t.test('a new Node: addresses, then the rest, told once', async (t) => {
  const stage = await initialized();
  t.strictSame(stage.writes, ['status', 'node']);
  t.match(stage.api.node, {
    metadata: { annotations: { 'polycloud.dev/described-by-agent': 'aws' } },
    spec: { providerID: instance.providerId, taints: [] },
    status: { addresses: instance.addresses },
  });
  t.match(stage.events, [{ type: 'Normal', reason: 'Synced' }]);
  t.equal(stage.reads.count, 1, 'our own writes are no reason to look again');
  await stage.clock.advance(3_600_000);
  t.ok(stage.reads.count >= 54 && stage.reads.count <= 68, `${String(stage.reads.count)} readings in an hour`);
  t.equal(stage.detections.count, 1);
  t.equal(stage.writes.length, 2, 'and nothing written');
  await stage.end();
});

await t.test('a Node that comes later', async (t) => {
  const stage = startHarness(undefined);
  await stage.clock.advance(600_000);
  t.equal(stage.reads.count, 0);
  stage.api.node = nodeWith({ isNew: true });
  stage.loop.nodeChanged(stage.api.node);
  await stage.clock.advance(0);
  t.strictSame(stage.writes, ['status', 'node']);
  await stage.end();
});

await t.test('one that goes and comes again is a new one', async (t) => {
  const stage = await initialized();
  stage.loop.nodeDeleted();
  await stage.clock.advance(120_000);
  stage.api.node = nodeWith({ uid: 'u-2', isNew: true });
  stage.loop.nodeChanged(stage.api.node);
  await stage.clock.advance(0);
  t.strictSame(stage.writes, ['status', 'node', 'status', 'node']);
  await stage.end();
});

await t.test('a change of the metadata is followed', async (t) => {
  const stage = await initialized();
  stage.reads.instance = { ...instance, addresses: [{ type: 'InternalIP', address: '10.0.0.99' }] };
  await stage.clock.advance(driftIsRepairedWithinMs);
  t.strictSame(stage.api.node?.status.addresses, stage.reads.instance.addresses);
  await stage.end();
});

await t.test('what somebody takes away comes back soon, but not as fast as it is taken', async (t) => {
  const stage = await initialized();
  for (let second = 0; second < 60; second++) {
    stage.change((node) => withLabels(node, {}));
    await stage.clock.advance(1_000);
  }
  t.ok(stage.writes.length >= 2 + 10 && stage.writes.length <= 2 + 13, `${String(stage.writes.length)} writes`);
  await stage.clock.advance(driftIsRepairedWithinMs);
  t.equal(stage.api.node?.metadata.labels?.[zoneLabel], 'us-west-2b');
  await stage.end();
});

await t.test("the kubelet's heartbeats are no reason to do anything", async (t) => {
  const stage = await initialized();
  for (let second = 0; second < 50; second++) {
    stage.change((node) => ({ ...node, status: { ...node.status, conditions: [] } }));
    await stage.clock.advance(1_000);
  }
  t.equal(stage.reads.count, 1);
  await stage.end();
});

await t.test('an older version of the Node is not gone back to', async (t) => {
  const stage = await initialized();
  stage.loop.nodeChanged(nodeWith({ isNew: true }));
  await stage.clock.advance(1_000);
  t.equal(stage.reads.count, 1);
  await stage.end();
});

await t.test('metadata that is away: one event, and initialised soon after it is back', async (t) => {
  const stage = startHarness(nodeWith({ isNew: true }));
  stage.reads.fails = down;
  await stage.clock.advance(60_000);
  t.match(stage.events, [{ type: 'Warning', reason: 'NodeInitFailed', message: /it is down; hint: wait/ }]);
  t.equal(stage.events.length, 1);
  t.strictSame(stage.logLines, [
    'Node cannot be synced node="node-a" reason="NodeInitFailed" err="it is down" hint="wait"',
  ]);
  stage.reads.fails = undefined;
  await stage.clock.advance(5_000);
  t.strictSame(stage.writes, ['status', 'node']);
  stage.reads.fails = down;
  await stage.clock.advance(300_000);
  t.strictSame(
    stage.events.map(({ reason }) => reason),
    ['NodeInitFailed', 'Synced', 'NodeUpdateFailed'],
    'the next time is told again',
  );
  await stage.end();
});

await t.test('a cloud that is not detected is asked for again', async (t) => {
  const stage = startHarness(nodeWith({ isNew: true }));
  stage.detections.fails = down;
  await stage.clock.advance(60_000);
  t.ok(stage.detections.count > 5);
  t.equal(stage.events.length, 1);
  stage.detections.fails = undefined;
  await stage.clock.advance(5_000);
  t.strictSame(stage.writes, ['status', 'node']);
  await stage.end();
});

await t.test('an API server that is away is asked less and less, and no event is tried', async (t) => {
  const stage = startHarness(nodeWith({ isNew: true }));
  stage.api.fails = apiServerDown;
  await stage.clock.advance(600_000);
  t.ok(stage.reads.count < 40, `${String(stage.reads.count)} attempts in ten minutes`);
  t.strictSame(stage.events, []);
  stage.api.fails = undefined;
  await stage.clock.advance(30_000);
  t.strictSame(stage.writes, ['status', 'node']);
  await stage.end();
});

await t.test('an event that could not be written is written later', async (t) => {
  const stage = startHarness(nodeWith({ isNew: true }));
  const { push } = stage.events;
  let refusals = 3;
  stage.events.push = (...events) => {
    if (refusals-- > 0) throw apiServerDown;
    return push.apply(stage.events, events);
  };
  stage.reads.fails = down;
  await stage.clock.advance(60_000);
  t.equal(stage.events.length, 1);
  await stage.end();
});

await t.test('an internal error ends nothing', async (t) => {
  const stage = startHarness(nodeWith({ isNew: true }));
  stage.api.fails = new TypeError('a bug');
  await stage.clock.advance(10_000);
  stage.api.fails = undefined;
  await stage.clock.advance(10_000);
  t.strictSame(stage.writes, ['status', 'node']);
  await stage.end();
});

const changes = [
  'set addresses InternalIP=10.0.0.20',
  'set label node.kubernetes.io/instance-type=m7g.large',
  'set label beta.kubernetes.io/instance-type=m7g.large',
  'set label topology.kubernetes.io/zone=us-west-2b',
  'set label failure-domain.beta.kubernetes.io/zone=us-west-2b',
  'set label topology.kubernetes.io/region=us-west-2',
  'set label failure-domain.beta.kubernetes.io/region=us-west-2',
  'set annotation polycloud.dev/described-by-agent=aws',
  `set providerID ${instance.providerId}`,
  'remove taint node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule',
];
const nodeFields = 'node="node-a" uid="u-1"';
const instanceFields = `${nodeFields} providerID="${instance.providerId}" cloud="aws"`;

await t.test('each write is in the log, and nothing where nothing is written', async (t) => {
  const stage = await initialized();
  t.strictSame(stage.logLines, [`Node initialised ${instanceFields} changes=${JSON.stringify(changes)}`]);
  await stage.clock.advance(600_000);
  t.equal(stage.logLines.length, 1);
  stage.reads.instance = { ...instance, addresses: [{ type: 'InternalIP', address: '10.0.0.99' }] };
  await stage.clock.advance(driftIsRepairedWithinMs);
  t.strictSame(stage.logLines.slice(1), [
    `Node updated ${instanceFields} changes=["set addresses InternalIP=10.0.0.99"]`,
  ]);
  await stage.end();
});

await t.test('an agent that finds everything in order says so once', async (t) => {
  const first = await initialized();
  const stage = startHarness(first.api.node);
  await stage.clock.advance(600_000);
  t.strictSame(stage.logLines, [`Node is in sync with its machine ${instanceFields}`]);
  await Promise.all([first.end(), stage.end()]);
});

await t.test('a trouble is said once, and so is its end', async (t) => {
  const stage = await initialized();
  stage.reads.fails = down;
  await stage.clock.advance(300_000);
  stage.reads.fails = undefined;
  await stage.clock.advance(300_000);
  t.strictSame(stage.logLines.slice(1), [
    'Node cannot be synced node="node-a" reason="NodeUpdateFailed" err="it is down" hint="wait"',
    'Node can be synced again node="node-a"',
  ]);
  await stage.end();
});

await t.test('a Node that is left alone is said once for each reason', async (t) => {
  const stage = startHarness(nodeWith({ labels: { 'polycloud.dev/cloud': 'false' } }));
  await stage.clock.advance(300_000);
  stage.change((node) => withLabels(node, { 'polycloud.dev/cloud': 'gcp' }));
  await stage.clock.advance(300_000);
  t.strictSame(stage.logLines, [
    `Node is left alone ${nodeFields} reason="label polycloud.dev/cloud is false"`,
    `Node is left alone ${nodeFields} reason="label polycloud.dev/cloud gives it to gcp, and this is a machine of aws"`,
  ]);
  await stage.end();
});

await t.test('a dry run says each plan once and writes nothing, no event either', async (t) => {
  const stage = startHarness(nodeWith({ isNew: true }), { isDry: true });
  await stage.clock.advance(600_000);
  stage.reads.instance = { ...instance, addresses: [] };
  await stage.clock.advance(600_000);
  const plan = (planned: readonly string[]): string =>
    `Dry run: Node would be changed ${nodeFields} changes=${JSON.stringify(planned)}`;
  t.strictSame(stage.logLines, [plan(changes), plan(changes.slice(1))]);
  t.strictSame([stage.writes, stage.events, stage.counts], [[], [], []]);
  t.match(stage.loop.state.lastResult, { kind: 'planned' });
  await stage.end();
});

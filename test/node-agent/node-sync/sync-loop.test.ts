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

await t.test('a new Node: addresses, then the rest, with one event', async (t) => {
  const harness = await initialized();
  t.strictSame(harness.writes, ['status', 'node']);
  t.match(harness.api.node, {
    metadata: { annotations: { 'polycloud.dev/described-by-agent': 'aws' } },
    spec: { providerID: instance.providerId, taints: [] },
    status: { addresses: instance.addresses },
  });
  t.match(harness.events, [{ type: 'Normal', reason: 'Synced' }]);
  t.equal(harness.reads.count, 1, 'our own writes do not start a sync');
  await harness.clock.advance(3_600_000);
  t.ok(harness.reads.count >= 54 && harness.reads.count <= 68, `${String(harness.reads.count)} reads in an hour`);
  t.equal(harness.detections.count, 1);
  t.equal(harness.writes.length, 2, 'and no further writes');
  await harness.end();
});

await t.test('what could not be read is read again within 10 s', async (t) => {
  const harness = await initialized();
  harness.reads.instance = { ...instance, unread: ['labels'] };
  await harness.clock.advance(70_000);
  const { count } = harness.reads;
  await harness.clock.advance(10_000);
  t.ok(harness.reads.count > count);
  t.equal(harness.writes.length, 2, 'nothing of the Node is changed');
  await harness.end();
});

await t.test('a Node that is created later', async (t) => {
  const harness = startHarness(undefined);
  await harness.clock.advance(600_000);
  t.equal(harness.reads.count, 0);
  harness.api.node = nodeWith({ isNew: true });
  harness.loop.nodeChanged(harness.api.node);
  await harness.clock.advance(0);
  t.strictSame(harness.writes, ['status', 'node']);
  await harness.end();
});

await t.test('a Node that is deleted and created again is new', async (t) => {
  const harness = await initialized();
  harness.loop.nodeDeleted();
  await harness.clock.advance(120_000);
  harness.api.node = nodeWith({ uid: 'u-2', isNew: true });
  harness.loop.nodeChanged(harness.api.node);
  await harness.clock.advance(0);
  t.strictSame(harness.writes, ['status', 'node', 'status', 'node']);
  await harness.end();
});

await t.test('a change of the metadata is written', async (t) => {
  const harness = await initialized();
  harness.reads.instance = { ...instance, addresses: [{ type: 'InternalIP', address: '10.0.0.99' }] };
  await harness.clock.advance(driftIsRepairedWithinMs);
  t.strictSame(harness.api.node?.status.addresses, harness.reads.instance.addresses);
  await harness.end();
});

await t.test('a label that another writer removes comes back soon, but not in a tight loop', async (t) => {
  const harness = await initialized();
  for (let second = 0; second < 60; second++) {
    harness.change((node) => withLabels(node, {}));
    await harness.clock.advance(1_000);
  }
  t.ok(harness.writes.length >= 2 + 10 && harness.writes.length <= 2 + 13, `${String(harness.writes.length)} writes`);
  await harness.clock.advance(driftIsRepairedWithinMs);
  t.equal(harness.api.node?.metadata.labels?.[zoneLabel], 'us-west-2b');
  await harness.end();
});

await t.test('heartbeats of the kubelet do not start a sync', async (t) => {
  const harness = await initialized();
  for (let second = 0; second < 50; second++) {
    harness.change((node) => ({ ...node, status: { ...node.status, conditions: [] } }));
    await harness.clock.advance(1_000);
  }
  t.equal(harness.reads.count, 1);
  await harness.end();
});

await t.test('an older version of the Node is ignored', async (t) => {
  const harness = await initialized();
  harness.loop.nodeChanged(nodeWith({ isNew: true }));
  await harness.clock.advance(1_000);
  t.equal(harness.reads.count, 1);
  await harness.end();
});

await t.test('unavailable metadata: one event, and the Node is initialised soon after it is back', async (t) => {
  const harness = startHarness(nodeWith({ isNew: true }));
  harness.reads.fails = down;
  await harness.clock.advance(60_000);
  t.match(harness.events, [{ type: 'Warning', reason: 'NodeInitFailed', message: /it is down; hint: wait/ }]);
  t.equal(harness.events.length, 1);
  t.strictSame(harness.logLines, [
    'Node cannot be synced node="node-a" reason="NodeInitFailed" err="it is down" hint="wait"',
  ]);
  harness.reads.fails = undefined;
  await harness.clock.advance(5_000);
  t.strictSame(harness.writes, ['status', 'node']);
  harness.reads.fails = down;
  await harness.clock.advance(300_000);
  t.strictSame(
    harness.events.map(({ reason }) => reason),
    ['NodeInitFailed', 'Synced', 'NodeUpdateFailed'],
    'a later failure is reported again',
  );
  await harness.end();
});

await t.test('detection is retried', async (t) => {
  const harness = startHarness(nodeWith({ isNew: true }));
  harness.detections.fails = down;
  await harness.clock.advance(60_000);
  t.ok(harness.detections.count > 5);
  t.equal(harness.events.length, 1);
  harness.detections.fails = undefined;
  await harness.clock.advance(5_000);
  t.strictSame(harness.writes, ['status', 'node']);
  await harness.end();
});

await t.test('retries against an unavailable API server back off, and no event is written', async (t) => {
  const harness = startHarness(nodeWith({ isNew: true }));
  harness.api.fails = apiServerDown;
  await harness.clock.advance(600_000);
  t.ok(harness.reads.count < 40, `${String(harness.reads.count)} attempts in ten minutes`);
  t.strictSame(harness.events, []);
  harness.api.fails = undefined;
  await harness.clock.advance(30_000);
  t.strictSame(harness.writes, ['status', 'node']);
  await harness.end();
});

await t.test('an event that could not be written is written later', async (t) => {
  const harness = startHarness(nodeWith({ isNew: true }));
  const { push } = harness.events;
  let refusals = 3;
  harness.events.push = (...events) => {
    if (refusals-- > 0) throw apiServerDown;
    return push.apply(harness.events, events);
  };
  harness.reads.fails = down;
  await harness.clock.advance(60_000);
  t.equal(harness.events.length, 1);
  await harness.end();
});

await t.test('the loop goes on after an internal error', async (t) => {
  const harness = startHarness(nodeWith({ isNew: true }));
  harness.api.fails = new TypeError('a bug');
  await harness.clock.advance(10_000);
  harness.api.fails = undefined;
  await harness.clock.advance(10_000);
  t.strictSame(harness.writes, ['status', 'node']);
  await harness.end();
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

await t.test('each write is logged, and nothing else', async (t) => {
  const harness = await initialized();
  t.strictSame(harness.logLines, [`Node initialised ${instanceFields} changes=${JSON.stringify(changes)}`]);
  await harness.clock.advance(600_000);
  t.equal(harness.logLines.length, 1);
  harness.reads.instance = { ...instance, addresses: [{ type: 'InternalIP', address: '10.0.0.99' }] };
  await harness.clock.advance(driftIsRepairedWithinMs);
  t.strictSame(harness.logLines.slice(1), [
    `Node updated ${instanceFields} changes=["set addresses InternalIP=10.0.0.99"]`,
  ]);
  await harness.end();
});

await t.test('a Node that is in sync at the start is logged once', async (t) => {
  const first = await initialized();
  const harness = startHarness(first.api.node);
  await harness.clock.advance(600_000);
  t.strictSame(harness.logLines, [`Node is in sync with its machine ${instanceFields}`]);
  await Promise.all([first.end(), harness.end()]);
});

await t.test('a problem is logged once, and so is its end', async (t) => {
  const harness = await initialized();
  harness.reads.fails = down;
  await harness.clock.advance(300_000);
  harness.reads.fails = undefined;
  await harness.clock.advance(300_000);
  t.strictSame(harness.logLines.slice(1), [
    'Node cannot be synced node="node-a" reason="NodeUpdateFailed" err="it is down" hint="wait"',
    'Node can be synced again node="node-a"',
  ]);
  await harness.end();
});

await t.test('a Node that is left alone is logged once for each reason', async (t) => {
  const harness = startHarness(nodeWith({ labels: { 'polycloud.dev/cloud': 'false' } }));
  await harness.clock.advance(300_000);
  harness.change((node) => withLabels(node, { 'polycloud.dev/cloud': 'gcp' }));
  await harness.clock.advance(300_000);
  t.strictSame(harness.logLines, [
    `Node is left alone ${nodeFields} reason="label polycloud.dev/cloud is false"`,
    `Node is left alone ${nodeFields} reason="label polycloud.dev/cloud assigns it to gcp, but this machine runs on aws"`,
  ]);
  await harness.end();
});

await t.test('a dry run logs each plan once and writes neither the Node nor events', async (t) => {
  const harness = startHarness(nodeWith({ isNew: true }), { isDry: true });
  await harness.clock.advance(600_000);
  harness.reads.instance = { ...instance, addresses: [] };
  await harness.clock.advance(600_000);
  const plan = (planned: readonly string[]): string =>
    `Dry run: Node would be changed ${nodeFields} changes=${JSON.stringify(planned)}`;
  t.strictSame(harness.logLines, [plan(changes), plan(changes.slice(1))]);
  t.strictSame([harness.writes, harness.events, harness.counts], [[], [], []]);
  t.match(harness.loop.state.lastResult, { kind: 'planned' });
  await harness.end();
});

import t from 'tap';
import { knownNode, hasTaint, newNode, startHarness, withLabel, withReady } from './harness.ts';
import type { ControllerHarness } from './harness.ts';
import { failureOf } from './toy-cloud.ts';

const name = 'new';
const headStart = { agentHeadStartMs: 30_000 };

function writes({ api }: ControllerHarness): readonly string[] {
  return api.requests.filter((request) => request.startsWith('patch') || request.startsWith('delete'));
}

await t.test('addresses first, the taint with the last write, then an event', async (t) => {
  const stage = startHarness();
  stage.api.put(newNode({ name }));
  stage.hooks.on('patch status', 'answered', () => {
    t.match(stage.api.node(name)?.status.addresses, [{ address: '10.0.0.7' }]);
    t.ok(hasTaint(stage.api.node(name), 'uninitialized'), 'nobody schedules to a Node without addresses');
  });
  stage.hooks.on('patch Node', 'sent', () => void t.equal(stage.api.node(name)?.spec.providerID, undefined));
  await stage.advance(100);
  t.strictSame(stage.api.requests, [`patch status ${name}`, `patch Node ${name}`, `create event ${name}`]);
  const node = stage.api.node(name);
  t.notOk(hasTaint(node, 'uninitialized'));
  t.match(node, {
    metadata: { labels: { 'topology.kubernetes.io/zone': 'here-a', 'node.kubernetes.io/instance-type': 'toy.large' } },
    spec: { providerID: `toy://here/${name}` },
  });
  t.match(stage.api.events, [{ type: 'Normal', reason: 'Synced' }]);
  t.equal(stage.counts.initialized, 1);
});

await t.test('nothing is written again for as long as nothing changes', async (t) => {
  const stage = startHarness();
  stage.api.put(newNode({ name }));
  await stage.advance(60 * 60_000);
  t.equal(writes(stage).length, 2);
  t.equal(stage.api.events.length, 1);
});

await t.test('other taints stay', async (t) => {
  const stage = startHarness();
  const node = newNode({ name });
  const other = { key: 'example.com/other', effect: 'NoExecute' } as const;
  stage.api.put({ ...node, spec: { ...node.spec, taints: [other, ...(node.spec.taints ?? [])] } });
  await stage.advance(100);
  t.strictSame(stage.api.node(name)?.spec.taints, [other]);
});

await t.test('a Node that the cloud cannot find is reported once, and is looked up with backoff', async (t) => {
  const stage = startHarness();
  stage.cloud.setStatus(name, 'unknown');
  stage.api.put(newNode({ name }));
  await stage.advance(10 * 60_000);
  t.strictSame(writes(stage), []);
  t.match(stage.api.events, [{ type: 'Warning', reason: 'NodeInitFailed', message: /the cloud answers unavailable/ }]);
  t.equal(stage.api.events.length, 1);
  const times = stage.cloud.lookups.map(({ atMs }) => atMs);
  t.ok(times.length > 10 && times.length < 25, `${times.length} questions in ten minutes`);
  stage.cloud.setStatus(name, 'running');
  await stage.advance(60_000);
  t.notOk(hasTaint(stage.api.node(name), 'uninitialized'), 'within a minute of the cloud knowing it');
});

for (const [why, trouble] of [
  ['the cloud fails', () => Promise.reject(failureOf('unavailable'))],
  ['the answer leaves it out', () => Promise.resolve(new Map())],
] as const) {
  await t.test(`not initialised: ${why}`, async (t) => {
    const stage = startHarness();
    stage.cloud.lookUpOverride = trouble;
    stage.api.put(newNode({ name }));
    await stage.advance(60_000);
    t.strictSame(writes(stage), []);
    t.ok(hasTaint(stage.api.node(name), 'uninitialized'));
  });
}

await t.test('with a head start for agents: a new Node is left alone for that long', async (t) => {
  const stage = startHarness(headStart);
  stage.api.put(newNode({ name }));
  await stage.advance(29_000);
  t.strictSame([stage.cloud.lookups, stage.api.requests], [[], []]);
  await stage.advance(2_000);
  t.notOk(hasTaint(stage.api.node(name), 'uninitialized'), 'then it is initialised');
});

await t.test('with a head start for agents: a restart does not begin it anew', async (t) => {
  const stage = startHarness(headStart);
  stage.api.put(newNode({ name }));
  await stage.advance(20_000);
  await stage.restart();
  await stage.advance(11_000);
  t.notOk(hasTaint(stage.api.node(name), 'uninitialized'));
});

await t.test('with a head start for agents: what an agent described is its own', async (t) => {
  const stage = startHarness(headStart);
  const annotations = { 'polycloud.dev/described-by-agent': 'toy' };
  const node = withLabel(knownNode({ name, annotations }), 'topology.kubernetes.io/zone', 'as the agent says');
  stage.api.put({ ...node, status: { ...node.status, addresses: [{ type: 'InternalIP', address: '10.9.9.9' }] } });
  await stage.advance(60 * 60_000);
  t.ok(stage.cloud.lookups.length > 5);
  t.strictSame(writes(stage), []);
});

await t.test('without the node controller nothing is initialised and nothing repaired', async (t) => {
  const stage = startHarness({ controllers: { node: false, lifecycle: true } });
  stage.api.put(newNode({ name }));
  stage.api.put(withLabel(knownNode({ name: 'known' }), 'topology.kubernetes.io/zone', 'wrong'));
  await stage.advance(10 * 60_000);
  t.strictSame(stage.api.requests, []);
});

await t.test('foreign and unmanaged Nodes are neither asked for nor written', async (t) => {
  const stage = startHarness();
  stage.api.put(newNode({ name: 'foreign', providerId: 'elsewhere://here/foreign' }));
  stage.api.put(newNode({ name: 'unmanaged', labels: { 'polycloud.dev/cloud': 'false' } }));
  stage.api.put(newNode({ name: 'of-no-cloud-here', labels: { 'polycloud.dev/cloud': 'another' } }));
  const givenAway = { name: 'given-away', providerId: 'toy://here/given-away' };
  stage.api.put(newNode({ ...givenAway, labels: { 'polycloud.dev/cloud': 'another' } }));
  await stage.advance(10 * 60_000);
  t.strictSame([stage.cloud.lookups, stage.otherCloud.lookups, stage.api.requests], [[], [], []]);
});

await t.test('one that becomes ours is initialised at once', async (t) => {
  const stage = startHarness();
  stage.api.put(newNode({ name, labels: { 'polycloud.dev/cloud': 'false' } }));
  await stage.advance(60_000);
  stage.api.change(name, (node) => withLabel(node, 'polycloud.dev/cloud', 'toy'));
  await stage.advance(200);
  t.notOk(hasTaint(stage.api.node(name), 'uninitialized'));
});

await t.test('the shutdown taint: on, off when the instance runs, on again, off when the Node is Ready', async (t) => {
  const stage = startHarness();
  stage.api.put(knownNode({ name }));
  await stage.advance(1_000);
  const expectTaint = async (expected: boolean, what: string): Promise<void> => {
    await stage.advance(5_000);
    t.equal(hasTaint(stage.api.node(name), 'shutdown'), expected, what);
  };
  stage.cloud.setStatus(name, 'stopped');
  await expectTaint(false, 'stopped, but the kubelet is Ready');
  stage.api.change(name, (node) => withReady(node, false));
  await expectTaint(true, 'stopped and not Ready');
  stage.cloud.setStatus(name, 'running');
  await expectTaint(false, 'running, but not Ready yet');
  stage.cloud.setStatus(name, 'stopped');
  await expectTaint(true, 'stopped again');
  stage.cloud.setStatus(name, 'unknown');
  await expectTaint(true, 'what cannot be found out changes nothing');
  stage.cloud.lookUpOverride = () => Promise.reject(failureOf('unavailable'));
  stage.api.change(name, (node) => withReady(node, true));
  await expectTaint(false, 'Ready, whatever the cloud says');
});

await t.test('the shutdown taint of a Ready Node goes when a leader begins', async (t) => {
  const stage = startHarness();
  stage.mayWrite = false;
  stage.api.put(knownNode({ name, taints: ['shutdown'] }));
  await stage.advance(1_000);
  t.ok(hasTaint(stage.api.node(name), 'shutdown'));
  stage.mayWrite = true;
  await stage.restart();
  await stage.advance(0);
  t.notOk(hasTaint(stage.api.node(name), 'shutdown'));
});

await t.test('without the lifecycle controller there are no taints and no deletions', async (t) => {
  const stage = startHarness({ controllers: { node: true, lifecycle: false } });
  for (const said of ['stopped', 'terminated', 'not-found'] as const) {
    stage.cloud.setStatus(said, said);
    stage.api.put(knownNode({ name: said, ready: false }));
  }
  stage.api.put(knownNode({ name: 'awake', taints: ['shutdown'] }));
  await stage.advance(10 * 60_000);
  t.strictSame(stage.api.requests, []);
});

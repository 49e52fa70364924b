import t from 'tap';
import { Failure } from '../../../lib/failure.ts';
import { fail } from './memory-api-server.ts';
import { knownNode, monitorPeriodMs, newNode, startHarness, withLabel, withReady } from './harness.ts';

const minuteMs = 60_000;
const zone = 'topology.kubernetes.io/zone';
const nodeFields = 'node="node" uid="uid-of-node" providerID="toy://here/node"';
const initialisation = [
  'set addresses InternalIP=10.0.0.7',
  'set label node.kubernetes.io/instance-type=toy.large',
  'set label beta.kubernetes.io/instance-type=toy.large',
  'set label topology.kubernetes.io/zone=here-a',
  'set label failure-domain.beta.kubernetes.io/zone=here-a',
  'set label topology.kubernetes.io/region=here',
  'set label failure-domain.beta.kubernetes.io/region=here',
  'set providerID toy://here/node',
  'remove taint node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule',
];
const changes = `changes=${JSON.stringify(initialisation)}`;
const shutdown = 'taint="node.cloudprovider.kubernetes.io/shutdown"';

await t.test('a Node that is initialised, and one that is repaired', async (t) => {
  const { api, logLines: said, advance } = startHarness();
  api.put(newNode({ name: 'node' }));
  await advance(1_000);
  t.strictSame(said, [`Node initialised ${nodeFields} ${changes}`]);
  await advance(30 * minuteMs);
  t.equal(said.length, 1, 'nothing is written, nothing is said');
  api.change('node', (node) => withLabel(node, zone, 'elsewhere'));
  await advance(10 * minuteMs);
  t.strictSame(said.slice(1), [`Node updated ${nodeFields} changes=["set label ${zone}=here-a"]`]);
});

await t.test('a taint that is set and removed', async (t) => {
  const { api, cloud, logLines: said, advance } = startHarness();
  cloud.setStatus('node', 'stopped');
  api.put(knownNode({ name: 'node', ready: false }));
  await advance(minuteMs);
  cloud.setStatus('node', 'running');
  await advance(minuteMs);
  t.strictSame(said, [
    `Taint set ${nodeFields} ${shutdown} reason="the cloud reports the instance as stopped"`,
    `Taint removed ${nodeFields} ${shutdown} reason="the cloud reports the instance as running"`,
  ]);
});

await t.test('a deletion, with its evidence', async (t) => {
  const { api, cloud, logLines: said, advance } = startHarness();
  for (const name of ['awake', 'node']) api.put(knownNode({ name }));
  await advance(1_000);
  cloud.setStatus('node', 'terminated');
  api.change('node', (node) => withReady(node, false));
  await advance(minuteMs);
  t.equal(api.node('node'), undefined);
  t.match(said, [
    new RegExp(`^Instance condition written ${nodeFields} reason="InstanceGone" evidence="`),
    new RegExp(`^Node deleted ${nodeFields} evidence="terminated: it is terminated" reason=".*terminated`),
  ]);
  t.equal(said.length, 2);
});

await t.test(
  'a cloud that does not answer: one line for all Nodes, every 5 minutes, and one for its end',
  async (t) => {
    const { api, cloud, logLines: said, advance } = startHarness();
    const down = new Failure('unavailable', 'it is down', { remedy: 'wait' });
    cloud.lookUpOverride = async () => Promise.reject(down);
    for (const name of ['one', 'other']) api.put(newNode({ name }));
    api.put(knownNode({ name: 'node', ready: false }));
    await advance(30 * minuteMs);
    const about = 'cloud="toy" scope="toy/here"';
    const failures = said.splice(0);
    t.strictSame([...new Set(failures)], [`Instances cannot be looked up ${about} err="it is down" hint="wait"`]);
    t.ok(failures.length === 5 || failures.length === 6, `${String(failures.length)} in 30 minutes`);
    cloud.lookUpOverride = undefined;
    await advance(10 * minuteMs);
    t.equal(said[0], `Instances are looked up again ${about}`);
    t.strictSame(
      said.slice(1).map((line) => line.split(' providerID')[0]),
      ['one', 'other'].map((name) => `Node initialised node="${name}" uid="uid-of-${name}"`),
    );
  },
);

await t.test('a Node that cannot be written: one line, and one for its end', async (t) => {
  const { api, hooks: steps, logLines: said, advance } = startHarness();
  api.put(newNode({ name: 'node' }));
  const plan = (): void => {
    steps.on('patch status', 'sent', () => {
      plan();
      if (!isBack) fail('forbidden');
    });
  };
  let isBack = false;
  plan();
  await advance(10 * minuteMs);
  const trouble = 'reason="NodeNotWritten" err="the API server answers forbidden" hint="none in a test"';
  t.strictSame(said, [`Node cannot be synced node="node" ${trouble}`]);
  isBack = true;
  await advance(10 * minuteMs);
  t.strictSame(said.slice(1), ['Node can be synced again node="node"', `Node initialised ${nodeFields} ${changes}`]);
});

await t.test('a new Node whose instance is gone: logged once, however the cloud’s text varies', async (t) => {
  const { api, cloud, logLines: said, advance } = startHarness();
  let asked = 0;
  cloud.lookUpOverride = async (nodes) => {
    asked += 1;
    const evidence = `i-1 and i-${asked} do not exist`;
    return Promise.resolve(new Map(nodes.map(({ uid }) => [uid, { status: 'not-found', evidence }])));
  };
  api.put(newNode({ name: 'node' }));
  await advance(60 * minuteMs);
  t.ok(asked > 20);
  t.match(said, [
    /^Instance condition written .* reason="InstanceNeverFound"/,
    /^Node cannot be synced node="node" reason="NodeInitFailed" err="[^"]+: i-1 and i-1 do not exist"$/,
  ]);
  t.match(api.events, [{ reason: 'InstanceNeverFound' }, { reason: 'NodeInitFailed' }]);
  t.strictSame([said.length, api.events.length], [2, 2]);
});

await t.test('failures of a Node whose texts are another one each time do not fill the log', async (t) => {
  const { api, hooks: steps, logLines: said, advance } = startHarness();
  api.put(newNode({ name: 'node' }));
  let requests = 0;
  const plan = (): void => {
    steps.on('patch status', 'sent', () => {
      plan();
      requests += 1;
      throw new Error(`request ${requests} failed`);
    });
  };
  plan();
  await advance(60 * minuteMs);
  t.ok(requests > 50, 'it is tried again and again');
  t.equal(said.length, 20);
});

await t.test('a new Node whose instance could not be found out: one line with the hint', async (t) => {
  const { api, cloud, logLines: said, advance } = startHarness();
  cloud.setStatus('node', 'unknown');
  api.put(newNode({ name: 'node' }));
  await advance(10 * minuteMs);
  const trouble = 'reason="NodeInitFailed" err="the cloud answers unavailable" hint="none in a test"';
  t.strictSame(said, [`Node cannot be synced node="node" ${trouble}`]);
});

await t.test('deletions that are stopped, and go on', async (t) => {
  const { api, cloud, logLines: said, advance } = startHarness();
  const names = Array.from({ length: 10 }, (_, index) => `node-${String(index)}`);
  for (const name of names) api.put(knownNode({ name, ready: name === 'node-0' }));
  for (const name of names.slice(1)) cloud.setStatus(name, 'not-found');
  await advance(10 * minuteMs);
  const about = 'scope="toy/here"';
  const stopped = said.filter((line) => line.startsWith('Deletions'));
  t.match(stopped, [new RegExp(`^Deletions are stopped ${about} reason="[^"]+" hint="[^"]+confirm-deletions=`)]);
  t.equal(stopped.length, 1);
  for (const name of names) cloud.setStatus(name, 'running');
  await advance(30 * minuteMs);
  t.equal(said.filter((line) => line === `Deletions go on ${about}`).length, 1);
});

await t.test('a dry run logs each plan once, writes nothing and counts no write', async (t) => {
  const { api, cloud, logLines: said, counts: counted, controller, advance } = startHarness({}, { isDry: true });
  api.put(knownNode({ name: 'awake' }));
  api.put(newNode({ name: 'node' }));
  for (const name of ['ended', 'halted']) api.put(knownNode({ name, ready: false }));
  cloud.setStatus('ended', 'terminated');
  cloud.setStatus('halted', 'stopped');
  await advance(10 * minuteMs);
  const change = 'Dry run: Node would be changed';
  const aboutEnded = 'node="ended" uid="uid-of-ended"';
  const expected = [
    new RegExp(`^${change} ${aboutEnded} changes=\\["set condition polycloud.dev/Instance to InstanceGone: `),
    /^Dry run: Node would be changed node="halted" .* changes=\["add taint \S+shutdown:NoSchedule"\]$/,
    new RegExp(`^${change} node="node" uid="uid-of-node" changes=\\["set addresses .*"remove taint `),
    new RegExp(`^Dry run: Node would be deleted ${aboutEnded} .* evidence="terminated: it is terminated"`),
  ];
  t.match(said.toSorted(), expected);
  t.equal(said.length, expected.length);
  t.match(controller.nodes().get('uid-of-node')?.reason, /^dry run: would set addresses /);
  t.strictSame([api.requests, api.events, counted.writes], [[], [], []]);
  t.match(counted, { deleted: 0, initialized: 0 });

  api.change('node', (node) => withLabel(node, zone, 'here-a'));
  await advance(10 * minuteMs);
  t.equal(said.length, expected.length + 1, 'another plan is said');
  t.notMatch(said.at(-1), `set label ${zone}`);
  t.strictSame(api.requests, []);
});

await t.test('a dry run logs a plan again when it returns', async (t) => {
  const { api, cloud, logLines: said, advance } = startHarness({}, { isDry: true });
  api.put(knownNode({ name: 'awake' }));
  api.put(knownNode({ name: 'node', ready: false }));
  for (const is of ['terminated', 'running', 'terminated'] as const) {
    cloud.setStatus('node', is);
    await advance(2 * minuteMs + monitorPeriodMs);
  }
  t.equal(said.filter((line) => line.startsWith('Dry run: Node would be deleted')).length, 2);
});

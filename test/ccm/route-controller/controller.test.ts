import t from 'tap';
import type { Node } from '../../../schemas/kubernetes.ts';
import { nodeAt, periodMs, routeHarnessFor, tableKey, unmarked } from './harness.ts';

await t.test('a Node gets the routes to its pods, and the condition of upstream', async (t) => {
  const { api, clock, routes, condition, logLines, cloud } = routeHarnessFor(t);
  api.put(nodeAt(1));
  api.put(nodeAt(2, { podCidrs: ['10.1.2.0/24', 'fd00:2::/64'], ips: ['10.0.0.2', 'fd99::2'] }));
  await clock.advance(1_000);
  t.strictSame(routes(), ['10.1.1.0/24 10.0.0.1', '10.1.2.0/24 10.0.0.2', 'fd00:2::/64 fd99::2']);
  t.strictSame([condition('n1'), condition('n2')], ['False RouteCreated', 'False RouteCreated']);
  t.equal(logLines.filter((line) => line.includes('Route created')).length, 3);
  await clock.advance(5 * periodMs);
  t.equal(cloud.operations.filter(({ kind }) => kind !== 'list').length, 3, 'and nothing is written again');
  t.equal(api.requests.filter((request) => request.startsWith('patch condition')).length, 2);
});

await t.test('the routes of a deleted Node are removed at once, also the unmarked ones', async (t) => {
  const { api, clock, routes } = routeHarnessFor(t);
  api.put(nodeAt(1));
  api.put(nodeAt(2));
  await clock.advance(1_000);
  api.delete('n1');
  await clock.advance(1_000);
  t.strictSame(routes(), ['10.1.2.0/24 10.0.0.2']);
  api.delete('n2');
  await clock.advance(1_000);
  t.strictSame(routes(), [], 'the last one too');
});

await t.test('a Node that is being deleted keeps its route until it is gone', async (t) => {
  const { api, clock, routes } = routeHarnessFor(t);
  api.put(nodeAt(1));
  await clock.advance(1_000);
  api.change('n1', (node) => ({ ...node, metadata: { ...node.metadata, deletionTimestamp: '2026-11-19T12:00:00Z' } }));
  await clock.advance(periodMs);
  t.equal(routes().length, 1);
});

await t.test('after a restart nothing unmarked is removed on a guess, and the log names it once', async (t) => {
  const harness = routeHarnessFor(t);
  const { api, clock, routes, logLines } = harness;
  api.put(nodeAt(1));
  api.put(nodeAt(2));
  await clock.advance(1_000);
  await harness.end();
  api.delete('n1');
  await clock.advance(0);
  await harness.restart();
  await clock.advance(5 * periodMs);
  t.equal(routes().length, 2);
  t.equal(logLines.filter((line) => line.includes('Routes are left alone')).length, 1);
  t.equal(harness.controller.tables()[0]?.left.length, 1);
  t.teardown(() => undefined);
});

await t.test('a replica that follows remembers the Nodes that were deleted', async (t) => {
  const harness = routeHarnessFor(t);
  const { api, clock, routes } = harness;
  api.put(nodeAt(1));
  api.put(nodeAt(2));
  await clock.advance(1_000);
  await harness.end();
  api.delete('n1');
  await clock.advance(1_000);
  t.equal(routes().length, 2);
  await harness.leadAgain();
  await clock.advance(1_000);
  t.strictSame(routes(), ['10.1.2.0/24 10.0.0.2']);
});

await t.test('a restart removes marked routes of Nodes that went meanwhile', async (t) => {
  const harness = routeHarnessFor(t);
  const { api, clock, cloud, routes } = harness;
  cloud.owner = 'this-cluster';
  api.put(nodeAt(1));
  api.put(nodeAt(2));
  await clock.advance(1_000);
  await harness.end();
  api.delete('n1');
  await clock.advance(0);
  await harness.restart();
  await clock.advance(1_000);
  t.strictSame(routes(), ['10.1.2.0/24 10.0.0.2']);
});

await t.test('a new address of a Node moves its route', async (t) => {
  const { api, clock, routes } = routeHarnessFor(t);
  api.put(nodeAt(1));
  await clock.advance(1_000);
  api.put(nodeAt(1, { ips: ['10.0.0.99'] }));
  await clock.advance(1_000);
  t.strictSame(routes(), ['10.1.1.0/24 10.0.0.99']);
});

await t.test('a pod CIDR that another Node has now leads there', async (t) => {
  const { api, clock, routes, condition } = routeHarnessFor(t);
  api.put(nodeAt(1));
  await clock.advance(1_000);
  api.delete('n1');
  api.put(nodeAt(2, { podCidrs: ['10.1.1.0/24'] }));
  await clock.advance(1_000);
  t.strictSame(routes(), ['10.1.1.0/24 10.0.0.2']);
  t.equal(condition('n2'), 'False RouteCreated');
});

for (const [why, node] of Object.entries<Node>({
  'without a pod CIDR': nodeAt(1, { podCidrs: [] }),
  'that is not initialised': nodeAt(1, { isNew: true }),
  'of another cloud': nodeAt(1, { providerId: 'other://main/n1' }),
  'that a label excludes': nodeAt(1, { labels: { 'polycloud.dev/cloud': 'false' } }),
  'without an address': nodeAt(1, { ips: [] }),
})) {
  await t.test(`a Node ${why} gets no route and no condition`, async (t) => {
    const { api, clock, cloud, routes, condition } = routeHarnessFor(t);
    cloud.owner = 'this-cluster';
    cloud.routesOf.set(tableKey, [{ ...unmarked('10.1.1.0/24', '10.0.0.7'), owner: 'this-cluster' }]);
    api.put(nodeAt(2));
    api.put(node);
    await clock.advance(3 * periodMs);
    const kept = (node.spec.podCIDRs ?? []).length > 0 ? ['10.1.1.0/24 10.0.0.7'] : [];
    t.strictSame(routes(), [...kept, '10.1.2.0/24 10.0.0.2'], 'and a route for its pods is not touched');
    t.equal(condition('n1'), undefined);
  });
}

await t.test('it gets them when it is initialised', async (t) => {
  const { api, clock, routes } = routeHarnessFor(t);
  api.put(nodeAt(1, { isNew: true }));
  await clock.advance(periodMs);
  api.put(nodeAt(1));
  await clock.advance(1_000);
  t.equal(routes().length, 1);
});

await t.test('a Node that another controller has from now on keeps its route', async (t) => {
  const { api, clock, routes } = routeHarnessFor(t);
  api.put(nodeAt(1));
  api.put(nodeAt(2));
  await clock.advance(1_000);
  api.put(nodeAt(1, { labels: { 'polycloud.dev/cloud': 'false' } }));
  await clock.advance(2 * periodMs);
  t.equal(routes().length, 2);
  api.delete('n1');
  await clock.advance(2 * periodMs);
  t.equal(routes().length, 2, 'also when that one deletes it');
});

await t.test('a route that somebody removed is created again in the next period', async (t) => {
  const { api, clock, cloud, routes } = routeHarnessFor(t);
  api.put(nodeAt(1));
  await clock.advance(1_000);
  cloud.routesOf.set(tableKey, []);
  await clock.advance(periodMs + 1_000);
  t.equal(routes().length, 1);
});

await t.test('a condition with the wrong status is written again in the next period', async (t) => {
  const { api, clock, condition } = routeHarnessFor(t);
  api.put(nodeAt(1));
  await clock.advance(1_000);
  const calico = { type: 'NetworkUnavailable', status: 'True', reason: 'CalicoIsDown' } as const;
  api.change('n1', (node) => ({ ...node, status: { ...node.status, conditions: [calico] } }));
  await clock.advance(periodMs + 1_000);
  t.equal(condition('n1'), 'False RouteCreated');
});

await t.test('a plugin that writes the same status with its own reason is no reason for another write', async (t) => {
  const { api, clock, condition, routes } = routeHarnessFor(t);
  const cilium = { type: 'NetworkUnavailable', status: 'False', reason: 'CiliumIsUp' } as const;
  const node = nodeAt(1);
  api.put({ ...node, status: { ...node.status, conditions: [cilium] } });
  await clock.advance(3 * periodMs);
  t.strictSame([routes().length, condition('n1')], [1, 'False CiliumIsUp']);
  t.equal(api.requests.filter((request) => request.startsWith('patch condition')).length, 0);
});

await t.test('a hundred Nodes get their routes in parts, and calls stay below the rate limit', async (t) => {
  const { api, clock, cloud, routes } = routeHarnessFor(t);
  for (let number = 1; number <= 100; number += 1) api.put(nodeAt(number));
  await clock.advance(60_000);
  t.equal(routes().length, 100);
  const inFirst10s = cloud.operations.filter(({ atMs }) => atMs <= 10_000).length;
  t.ok(inFirst10s <= 100, `${inFirst10s} calls in 10 s: 50 at once, and 5 a second`);
});

await t.test('each table has its own routes, and one that fails does not delay another', async (t) => {
  const { api, clock, cloud, routes } = routeHarnessFor(t);
  cloud.faultOf = (_kind, table) => (table === 'toy/east' ? 'hanging' : undefined);
  api.put(nodeAt(1));
  api.put(nodeAt(2, { table: 'east' }));
  await clock.advance(1_000);
  t.strictSame([routes(), routes('toy/east')], [['10.1.1.0/24 10.0.0.1'], []]);
});

await t.test('without the permission to write, nothing is changed in the cloud or in the cluster', async (t) => {
  const harness = routeHarnessFor(t);
  const { api, clock, cloud, routes, condition } = harness;
  cloud.routesOf.set(tableKey, [{ ...unmarked('10.1.9.0/24', '10.0.0.9'), owner: 'this-cluster' }]);
  harness.mayWrite = false;
  api.put(nodeAt(1));
  await clock.advance(3 * periodMs);
  t.strictSame([routes(), condition('n1')], [['10.1.9.0/24 10.0.0.9'], undefined]);
  harness.mayWrite = true;
  await clock.advance(2 * periodMs);
  t.strictSame([routes(), condition('n1')], [['10.1.1.0/24 10.0.0.1'], 'False RouteCreated']);
});

await t.test('leadership that is lost between two changes stops the rest', async (t) => {
  const harness = routeHarnessFor(t);
  const { api, clock, cloud, routes } = harness;
  for (const number of [1, 2, 3]) api.put(nodeAt(number));
  cloud.beforeChange = () => {
    harness.mayWrite = false;
  };
  await clock.advance(3 * periodMs);
  t.equal(routes().length, 1);
});

await t.test('Nodes that change during the removals stop the rest until the next decision', async (t) => {
  const { api, clock, cloud, routes } = routeHarnessFor(t);
  for (const number of [1, 2]) api.put(nodeAt(number));
  await clock.advance(1_000);
  let removals = 0;
  cloud.beforeChange = (kind, _table, { podCidr }) => {
    if (kind !== 'remove') return;
    removals += 1;
    if (removals > 1) return;
    const back = podCidr === '10.1.1.0/24' ? 2 : 1;
    api.put(nodeAt(back, { uid: 'it is back' }));
  };
  api.delete('n1');
  api.delete('n2');
  await clock.advance(2 * periodMs);
  t.strictSame([removals, routes().length], [1, 1]);
});

await t.test('a dry run logs its plan once and writes nothing', async (t) => {
  const { api, clock, cloud, routes, condition, logLines } = routeHarnessFor(t, { dryRun: true });
  cloud.routesOf.set(tableKey, [{ ...unmarked('10.1.9.0/24', '10.0.0.9'), owner: 'this-cluster' }]);
  api.put(nodeAt(1));
  await clock.advance(3 * periodMs);
  t.strictSame([routes(), condition('n1')], [['10.1.9.0/24 10.0.0.9'], undefined]);
  const plans = logLines.filter((line) => line.includes('Dry run'));
  t.equal(plans.length, 1);
  t.match(plans[0], /remove 10\.1\.9\.0\/24 via 10\.0\.0\.9.*create 10\.1\.1\.0\/24 via 10\.0\.0\.1 for n1/);
});

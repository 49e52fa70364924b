import t from 'tap';
import { nodeAt, periodMs, routeHarnessFor, tableKey, unmarked } from './harness.ts';

await t.test('a list that fails changes nothing, and work goes on when it is back', async (t) => {
  const { api, clock, cloud, routes, condition, logLines, counts } = routeHarnessFor(t);
  api.put(nodeAt(1));
  await clock.advance(1_000);
  cloud.faultOf = (kind) => (kind === 'list' ? 'unavailable' : undefined);
  api.delete('n1');
  api.put(nodeAt(2));
  await clock.advance(60_000);
  t.strictSame([routes(), condition('n2')], [['10.1.1.0/24 10.0.0.1'], undefined]);
  t.ok(counts.filter((each) => each === 'error').length < 12, 'with a growing pause');
  cloud.faultOf = () => undefined;
  await clock.advance(20_000);
  t.strictSame(routes(), ['10.1.2.0/24 10.0.0.2']);
  const lines = logLines.filter((line) => /Routes (?:cannot be read|are read again)/.test(line));
  t.equal(lines.length, 2);
});

await t.test('a replica that leads no more reports no failures of its own time', async (t) => {
  const harness = routeHarnessFor(t);
  const { api, clock, cloud, controller } = harness;
  cloud.faultOf = (kind) => (kind === 'list' ? undefined : 'denied');
  api.put(nodeAt(1));
  await clock.advance(1_000);
  const [uid = ''] = controller.nodes().keys();
  t.match([controller.stateOf(uid), controller.tables().length], [{ is: 'failed' }, 1]);
  await harness.end();
  t.strictSame([controller.stateOf(uid), controller.tables()], [undefined, []]);
});

await t.test('a list that hangs is given up', async (t) => {
  const { api, clock, cloud, routes } = routeHarnessFor(t);
  cloud.faultOf = () => 'hanging';
  api.put(nodeAt(1));
  await clock.advance(1_000);
  cloud.faultOf = () => undefined;
  await clock.advance(60_000);
  t.equal(routes().length, 1);
});

await t.test('one route that cannot be created stops no other, is reported once, and is tried again', async (t) => {
  const { api, clock, cloud, routes, condition, logLines, counts } = routeHarnessFor(t);
  const isBad = (podCidr = ''): boolean => podCidr === '10.1.1.0/24';
  cloud.faultOf = (_kind, _table, route) => (isBad(route?.podCidr) ? 'denied' : undefined);
  api.put(nodeAt(1));
  api.put(nodeAt(2));
  await clock.advance(120_000);
  t.strictSame(
    [routes(), condition('n1'), condition('n2')],
    [['10.1.2.0/24 10.0.0.2'], 'True NoRouteCreated', 'False RouteCreated'],
  );
  t.match(api.events, [{ type: 'Warning', reason: 'FailedToCreateRoute', message: /denied; hint: none in a test/ }]);
  t.equal(api.events.length, 1);
  t.ok(counts.filter((each) => each === 'create error').length < 8, 'with growing pauses');
  cloud.faultOf = () => undefined;
  await clock.advance(300_000);
  t.equal(condition('n1'), 'False RouteCreated');
  t.equal(logLines.filter((line) => /Node has (?:no route to its pods|its routes)/.test(line)).length, 2);
});

await t.test('a route that is in the way is not removed, and the Node has an event', async (t) => {
  const { api, clock, cloud, routes, condition } = routeHarnessFor(t);
  cloud.routesOf.set(tableKey, [unmarked('10.1.1.0/24', '10.9.9.9')]);
  api.put(nodeAt(1));
  await clock.advance(3 * periodMs);
  t.strictSame(routes(), ['10.1.1.0/24 10.9.9.9']);
  t.equal(condition('n1'), 'True NoRouteCreated');
  t.match(api.events, [{ message: /^the route 10\.1\.1\.0\/24 via 10\.9\.9\.9 is in the table already/ }]);
});

await t.test('a removal that fails is logged and tried again', async (t) => {
  const { api, clock, cloud, routes, logLines } = routeHarnessFor(t);
  api.put(nodeAt(1));
  await clock.advance(1_000);
  cloud.faultOf = (kind) => (kind === 'remove' ? 'denied' : undefined);
  api.delete('n1');
  await clock.advance(1_000);
  t.ok(logLines.some((line) => line.includes('Route cannot be removed')));
  cloud.faultOf = () => undefined;
  await clock.advance(2 * periodMs);
  t.strictSame(routes(), []);
});

await t.test('removals that time out do not keep a new Node waiting', async (t) => {
  const { api, clock, cloud, routes } = routeHarnessFor(t);
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
  for (const number of numbers) api.put(nodeAt(number));
  await clock.advance(2_000);
  cloud.faultOf = (kind) => (kind === 'remove' ? 'hanging' : undefined);
  for (const number of numbers) api.delete(`n${number}`);
  await clock.advance(100);
  api.put(nodeAt(9));
  await clock.advance(45_000);
  t.ok(routes().includes('10.1.9.0/24 10.0.0.9'));
  cloud.faultOf = () => undefined;
  await clock.advance(300_000);
  t.strictSame(routes(), ['10.1.9.0/24 10.0.0.9']);
});

await t.test('a route that replaces another does not stop the others while Nodes change', async (t) => {
  const { api, clock, cloud, routes } = routeHarnessFor(t);
  api.put(nodeAt(1));
  await clock.advance(1_000);
  let others = 0;
  cloud.beforeChange = () => {
    others += 1;
    api.put(nodeAt(20 + others, { isNew: true }));
  };
  api.put(nodeAt(1, { ips: ['10.0.0.99'] }));
  for (const number of [2, 3, 4, 5, 6]) api.put(nodeAt(number));
  await clock.advance(600);
  t.equal(routes().filter((route) => !route.startsWith('10.1.1.')).length, 5);
  await clock.advance(periodMs);
  t.ok(routes().includes('10.1.1.0/24 10.0.0.99'));
});

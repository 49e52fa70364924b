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

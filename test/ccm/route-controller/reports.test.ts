import t from 'tap';
import { explainRoutes } from '../../../ccm/route-controller/explain-routes.ts';
import { routeTableStatuses } from '../../../ccm/route-controller/table-status.ts';
import { statusText } from '../../../ccm/status.ts';
import { assess } from '../../../ccm/status-command/assess.ts';
import { leaderStatus } from '../../../ccm/status-command/leader-status.ts';
import { keys } from '../../../schemas/keys.ts';
import { startHarness } from '../node-controller/harness.ts';
import { nodeAt, periodMs, routeHarnessFor, tableKey, unmarked } from './harness.ts';
import type { RouteHarness } from './harness.ts';

const identity = { identity: 'ccm-1', clouds: ['toy'] };

/** What `status` shows of routes, from the annotation of the Lease on. */
function statusOf({ controller, clock }: RouteHarness): readonly object[] {
  const { controller: nodes } = startHarness();
  const annotations = { [keys.leaderStatus]: JSON.stringify(leaderStatus(nodes, identity, controller)) };
  const renewTime = new Date(clock.wallMs()).toISOString();
  const spec = { holderIdentity: 'ccm-1', leaseDurationSeconds: 15, renewTime };
  const metadata = { name: 'l', uid: 'u', resourceVersion: '1', creationTimestamp: renewTime, annotations };
  const collected = {
    lease: { kind: 'found', value: { metadata, spec } },
    nodes: { kind: 'found', value: [] },
  } as const;
  return assess(collected, 'kube-system/l', clock.wallMs()).checks.filter(({ about }) => about === 'routes');
}

await t.test('a table where all is well', async (t) => {
  const harness = routeHarnessFor(t);
  harness.api.put(nodeAt(1));
  await harness.clock.advance(1_000);
  t.strictSame(routeTableStatuses(harness.controller), [
    { cloud: 'toy', table: tableKey, nodes: 1, failed: 0, left: 0 },
  ]);
  t.match(statusOf(harness), [{ code: 'routes', outcome: 'ok', said: /^toy\/main: 1 Node, 0 without routes/ }]);
  const page = statusText(startHarness().controller, undefined, harness.controller);
  t.match(page, 'toy/main: routes of 1 Nodes, 0 Nodes without, 0 other routes are left alone\n');
});

await t.test('Nodes without routes, and routes that are left alone', async (t) => {
  const harness = routeHarnessFor(t);
  const { api, clock, cloud } = harness;
  cloud.routesOf.set(tableKey, [unmarked('10.1.9.0/24', '10.0.0.9')]);
  api.put(nodeAt(1));
  await clock.advance(1_000);
  t.match(statusOf(harness), [{ code: 'routes-left', outcome: 'warning', remedy: /remove them in the cloud/ }]);
  api.put(nodeAt(9, { ips: ['10.0.0.99'] }));
  await clock.advance(periodMs);
  t.match(statusOf(harness), [{ code: 'routes-failing', outcome: 'failed', said: /2 Nodes, 1 without routes/ }]);
});

await t.test('a table that cannot be read', async (t) => {
  const harness = routeHarnessFor(t);
  harness.cloud.faultOf = () => 'denied';
  harness.api.put(nodeAt(1));
  await harness.clock.advance(1_000);
  t.match(statusOf(harness), [
    { code: 'routes-failing', outcome: 'failed', said: 'toy/main: the toy cloud is denied' },
  ]);
  const page = statusText(startHarness().controller, undefined, harness.controller);
  t.match(page, /it cannot be read: the toy cloud is denied/);
});

await t.test('explain shows the routes that a Node needs, and what the leader reported', async (t) => {
  const { api, clock, cloud } = routeHarnessFor(t);
  t.strictSame(explainRoutes(nodeAt(1), [cloud]), [
    '10.1.1.0/24 via 10.0.0.1 in toy/main',
    'the leader has reported nothing yet',
  ]);
  api.put(nodeAt(1));
  await clock.advance(1_000);
  const node = api.node('n1');
  t.match(node && explainRoutes(node, [cloud])[1], /^NetworkUnavailable is False, RouteCreated: /);
  t.match(explainRoutes(nodeAt(1, { isNew: true }), [cloud])[0], /it is not initialised yet/);
});

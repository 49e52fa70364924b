import type { Node } from '../../../../schemas/kubernetes.ts';
import type { Ec2Route } from '../../../lab/clouds/aws/ec2-route-table.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { quickFlags, runOnce, soonMs, startController, untilLogged } from './controller-process.ts';
import { launchInstances, providerIdOf } from './environment.ts';
import type { TestEnvironment } from './environment.ts';
import { register, untilNode } from './nodes.ts';
import { onCluster } from './on-cluster.ts';
import { addRouteTable, routeFlags } from './route-table.ts';

const tableId = 'rtb-0123456789abcdef0';
const local: Ec2Route = { destination: '10.0.0.0/16', target: { gatewayId: 'local' }, origin: 'CreateRouteTable' };

await onCluster('routes to pods come and go with their Nodes', async (t, world) => {
  const [first, second] = await launchInstances(world, 2, 1);
  if (!first || !second) throw new Error('a fleet of two has two instances');
  await addRouteTable(world, tableId, [local]);
  const isNew = { isReady: true, isNew: true };
  await register(world, { name: 'one', providerID: providerIdOf(first), podCIDRs: ['10.244.1.0/24'], ...isNew });
  await register(world, { name: 'two', providerID: providerIdOf(second), podCIDRs: ['10.9.2.0/24'], ...isNew });
  const settings = { deletion: {}, config: { aws: { clusterName: 'prod' } } };
  const { output } = await startController(world, { ...settings, flags: [...quickFlags, ...routeFlags] });

  await t.test('a Node gets its route and the condition', async (t) => {
    await untilNode(world, 'one', 'has its route', (node) => reasonOf(node) === 'RouteCreated');
    t.match(await routesOf(world), [local, { destination: '10.244.1.0/24', target: { instanceId: first.instanceId } }]);
    t.equal((await world.aws.state()).ec2Instances[first.instanceId]?.sourceDestCheck, false);
    t.match(
      output(),
      /"Route created" cloud="aws" scope="aws\/us-west-2\/routes" node="one" route="10\.244\.1\.0\/24 via /,
    );
  });

  await t.test('a Node outside --cluster-cidr gets none, and is closed to pods', async (t) => {
    const node = await untilNode(world, 'two', 'has no route', (each) => reasonOf(each) === 'NoRouteCreated');
    const condition = node.status.conditions?.find(({ type }) => type === 'NetworkUnavailable');
    t.equal(condition?.status, 'True');
    await untilLogged(output, /"Node has no route to its pods" node="two" err=".*not inside --cluster-cidr"/, soonMs);
  });

  await t.test('the route of a deleted Node is removed', async (t) => {
    await world.plane.ask('DELETE', '/api/v1/nodes/one');
    await waitUntil({ what: 'the route removed', withinMs: soonMs, everyMs: 50 }, async () =>
      (await routesOf(world)).length === 1 ? true : undefined,
    );
    t.match(await routesOf(world), [local]);
  });

  await t.test('explain shows the routes of a Node', async (t) => {
    const explained = await runOnce(world, { ...settings, flags: routeFlags }, ['explain', 'two']);
    t.match(explained.stdout, /route: 10\.9\.2\.0\/24 via i-\w+ in aws\/us-west-2\/routes/);
  });
});

async function routesOf({ aws }: TestEnvironment): Promise<readonly Ec2Route[]> {
  return (await aws.state()).routeTables[tableId]?.routes ?? [];
}

function reasonOf({ status }: Node): string | undefined {
  return status.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.reason;
}

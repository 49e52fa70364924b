import type { Ec2Route } from '../../../lab/clouds/aws/ec2-route-table.ts';
import { routePermissions } from '../../../lab/clouds/aws/route-permissions.ts';
import { labUserKey } from '../../../lab/clouds/aws/state.ts';
import type { TestEnvironment } from './environment.ts';

/** Looks at the tables often, so that the test does not have to wait. */
export const routeFlags = [
  '--configure-cloud-routes',
  '--cluster-cidr=10.244.0.0/16',
  '--route-reconciliation-period=2s',
];

/** A table of the cluster `prod`, which the controller may change. */
export async function addRouteTable(
  { aws, region }: TestEnvironment,
  routeTableId: string,
  routes: readonly Ec2Route[],
): Promise<void> {
  const { users, accountId } = await aws.state();
  const { name } = labUserKey.owner;
  const user = users[name];
  if (user === undefined) throw new Error('the lab has changed');
  const table = { routeTableId, accountId, region, vpcId: 'vpc-0', routes };
  await aws.update({
    users: { [name]: { ...user, permissions: [...user.permissions, ...routePermissions] } },
    routeTables: { [routeTableId]: { ...table, tags: { 'kubernetes.io/cluster/prod': 'owned' } } },
  });
}

import type { Test } from 'tap';
import type { LookupContext, Routes } from '../../../../clouds/cloud.ts';
import type { AwsConfig } from '../../../../schemas/config/aws.ts';
import { fleetOf } from '../../../lab/clouds/aws/ec2-fleet.ts';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import type { Ec2Route, Ec2RouteTable } from '../../../lab/clouds/aws/ec2-route-table.ts';
import { routePermissions } from '../../../lab/clouds/aws/route-permissions.ts';
import { account, nodeOf, startEc2Lab } from '../ec2-lab.ts';
import type { Ec2Lab } from '../ec2-lab.ts';
import type { RoutedFacts } from '../../route-conformance.ts';

export const tableId = 'rtb-0123456789abcdef0';
export const clusterTag = 'kubernetes.io/cluster/prod';

/** Of a new VPC with an internet gateway, and a route to an appliance that somebody made. */
export const otherRoutes: readonly Ec2Route[] = [
  { destination: '10.0.0.0/16', target: { gatewayId: 'local' }, origin: 'CreateRouteTable' },
  { destination: '0.0.0.0/0', target: { gatewayId: 'igw-0123456789abcdef0' }, origin: 'CreateRoute' },
  { destination: '10.244.200.0/24', target: { networkInterfaceId: 'eni-0a' }, origin: 'CreateRoute', state: 'active' },
];

export interface RouteLab extends Omit<Ec2Lab, 'instances'> {
  readonly instances: readonly [Ec2Instance, Ec2Instance];
  open(config: Partial<AwsConfig>, table?: Partial<Ec2RouteTable>): Promise<{ routes: Routes; context: LookupContext }>;
  table(): Promise<readonly Ec2Route[]>;
}

export async function startRouteLab(t: Test): Promise<RouteLab> {
  const ec2 = await startEc2Lab(t);
  const { lab } = ec2;
  const fleet = { region: 'us-west-2', zoneLetters: ['a'], accountId: account, launchedAtMs: 0, number: 0 };
  const instances = Object.values(fleetOf({ ...fleet, count: 2 })) as [Ec2Instance, Ec2Instance];
  return {
    ...ec2,
    instances,
    open: async (config, table = {}) => {
      await lab.reset();
      const usual = { routeTableId: tableId, accountId: account, region: 'us-west-2', vpcId: 'vpc-0' };
      const routeTable = { ...usual, tags: { [clusterTag]: 'owned' }, routes: otherRoutes, ...table };
      const permissions = ['ec2:DescribeInstances', ...routePermissions];
      await lab.update({
        ec2Instances: Object.fromEntries(instances.map((each) => [each.instanceId, each])),
        routeTables: { [tableId]: routeTable },
        users: { 'lab-user': { id: 'AIDALABUSER0000000000', permissions } },
      });
      return { routes: ec2.routes(config), context: ec2.context() };
    },
    table: async () => (await lab.state()).routeTables[tableId]?.routes ?? [],
  };
}

export function routedFacts(instance: Ec2Instance): RoutedFacts {
  return { facts: nodeOf(instance), addresses: [] };
}

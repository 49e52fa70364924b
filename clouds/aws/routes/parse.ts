import type { Route } from '../../cloud.ts';
import { itemsOf, readXml, textAt } from '../instances/xml.ts';
import type { XmlElement } from '../instances/xml.ts';

/** A route table of EC2. */
export interface Ec2RouteTable {
  readonly id: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly routes: readonly TableRoute[];
}

/** Without a `podCidr` its destination is a prefix list. */
export type TableRoute = Omit<Route, 'owner'> & { readonly isToInstance: boolean };

export interface RouteTablePage {
  readonly tables: readonly Ec2RouteTable[];
  readonly nextToken: string | undefined;
}

const names = new Set([
  'DescribeRouteTablesResponse',
  'routeTableSet',
  'item',
  'routeTableId',
  'tagSet',
  'key',
  'value',
  'routeSet',
  'destinationCidrBlock',
  'destinationIpv6CidrBlock',
  'instanceId',
  'networkInterfaceId',
  'state',
  'origin',
  'nextToken',
]);

/** `undefined`: it is not a response of DescribeRouteTables. */
export function parseRouteTables(xml: string): RouteTablePage | undefined {
  const root = readXml(xml, names);
  if (root?.name !== 'DescribeRouteTablesResponse') return undefined;
  if (!root.children.some(({ name }) => name === 'routeTableSet')) return undefined;
  const tables = itemsOf(root, 'routeTableSet').map(tableOf);
  if (tables.some(({ id }) => id === '')) return undefined;
  return { tables, nextToken: textAt(root, 'nextToken') };
}

function tableOf(item: XmlElement): Ec2RouteTable {
  const tags = itemsOf(item, 'tagSet').map((tag) => [textAt(tag, 'key') ?? '', textAt(tag, 'value') ?? ''] as const);
  return {
    id: textAt(item, 'routeTableId') ?? '',
    tags: Object.fromEntries(tags),
    routes: itemsOf(item, 'routeSet').flatMap(routeOf),
  };
}

/**
 * A route to an instance has its id, and that of its interface. If the instance is gone it is a blackhole, and only the
 * interface may be left. Every other target has an element of its own.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Route.html
 */
function routeOf(item: XmlElement): readonly TableRoute[] {
  const podCidr = textAt(item, 'destinationCidrBlock') ?? textAt(item, 'destinationIpv6CidrBlock');
  if (podCidr === undefined) return [];
  const [instanceId, interfaceId] = [textAt(item, 'instanceId'), textAt(item, 'networkInterfaceId')];
  const blackhole = textAt(item, 'state') === 'blackhole';
  const isManual = textAt(item, 'origin') === 'CreateRoute';
  const isToInstance = isManual && (instanceId !== undefined || (blackhole && interfaceId !== undefined));
  return [{ podCidr, nextHop: instanceId ?? interfaceId ?? '', blackhole, isToInstance }];
}

import type { Ec2Context } from './ec2-describe.ts';
import { valuesOf } from './ec2-filters.ts';
import type { Ec2Instance } from './ec2-instance.ts';
import type { Ec2Error } from './ec2-protocol.ts';
import type { Ec2Route, Ec2RouteTable } from './ec2-route-table.ts';
import type { XmlTree } from './query-protocol.ts';

type Input = Readonly<Record<string, string>>;
type Result = { readonly tree: XmlTree } | Ec2Error;

const done: Result = { tree: { return: 'true' } };
const routesMax = 50;

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeRouteTables.html, by the filters that we use. */
export function describeRouteTables(input: Input, context: Ec2Context): Result {
  if (context.state.ec2.answers === 'empty') return { tree: { routeTableSet: [] } };
  const [filter, values] = [input['Filter.1.Name'], valuesOf(input, 'Filter.1.Value')];
  const matches = filters[filter ?? ''];
  if (matches === undefined) return refusal('InvalidParameterValue', `The filter '${filter ?? ''}' is invalid`);
  const tables = ownTables(context).filter((table) => values.some((value) => matches(table, value)));
  return { tree: { routeTableSet: tables.map((table) => tableTree(table, context)) } };
}

const filters: Readonly<Record<string, (table: Ec2RouteTable, value: string) => boolean>> = {
  'route-table-id': ({ routeTableId }, value) => routeTableId === value,
  'tag-key': ({ tags }, value) => Object.hasOwn(tags, value),
};

export function createRoute(input: Input, context: Ec2Context): Result {
  return setRoute(input, context, (there, routes) => {
    if (there) return refusal('RouteAlreadyExists', `The route identified by ${destinationIn(input)} already exists.`);
    if (routes.length >= routesMax) {
      return refusal('RouteLimitExceeded', 'The maximum number of routes has been reached.');
    }
    return undefined;
  });
}

export function replaceRoute(input: Input, context: Ec2Context): Result {
  const message = `There is no route defined for '${destinationIn(input)}' in the route table.`;
  return setRoute(input, context, (there) => (there ? undefined : refusal('InvalidParameterValue', message)));
}

export function deleteRoute(input: Input, context: Ec2Context): Result {
  const table = findTable(input, context);
  if ('code' in table) return table;
  const others = table.routes.filter(({ destination }) => destination !== destinationIn(input));
  if (others.length === table.routes.length) {
    const message = `no route with destination-cidr-block ${destinationIn(input)} in route table ${table.routeTableId}`;
    return refusal('InvalidRoute.NotFound', message);
  }
  context.state.routeTables[table.routeTableId] = { ...table, routes: others };
  return done;
}

/** Of the attributes only the check of source and destination. */
export function modifyInstanceAttribute(input: Input, context: Ec2Context): Result {
  const instance = findInstance(input, context);
  if ('code' in instance) return instance;
  const value = input['SourceDestCheck.Value'];
  if (value !== 'true' && value !== 'false') return refusal('MissingParameter', 'No attribute is given.');
  context.state.ec2Instances[instance.instanceId] = { ...instance, sourceDestCheck: value === 'true' };
  return done;
}

function setRoute(
  input: Input,
  context: Ec2Context,
  check: (isThere: boolean, routes: readonly Ec2Route[]) => Ec2Error | undefined,
): Result {
  const table = findTable(input, context);
  if ('code' in table) return table;
  const instance = findInstance(input, context);
  if ('code' in instance) return instance;
  if (instance.interfaces.length > 1) {
    const message = `There are multiple interfaces attached to instance '${instance.instanceId}'. Please specify an interface ID for the operation instead.`;
    return refusal('InvalidInstanceID', message);
  }
  const destination = destinationIn(input);
  const others = table.routes.filter((route) => route.destination !== destination);
  const refused = check(others.length < table.routes.length, table.routes);
  if (refused !== undefined) return refused;
  const target = { instanceId: instance.instanceId };
  const route: Ec2Route = { destination, target, origin: 'CreateRoute' };
  context.state.routeTables[table.routeTableId] = { ...table, routes: [...others, route] };
  return done;
}

function ownTables({ state, accountId, region }: Ec2Context): readonly Ec2RouteTable[] {
  return Object.values(state.routeTables).filter((table) => table.accountId === accountId && table.region === region);
}

function findTable({ RouteTableId: id = '' }: Input, context: Ec2Context): Ec2RouteTable | Ec2Error {
  const table = ownTables(context).find(({ routeTableId }) => routeTableId === id);
  return table ?? refusal('InvalidRouteTableID.NotFound', `The routeTable ID '${id}' does not exist`);
}

function findInstance(
  { InstanceId: id = '' }: Input,
  { state, accountId, region }: Ec2Context,
): Ec2Instance | Ec2Error {
  const instance = state.ec2Instances[id];
  const isOwn = instance?.accountId === accountId && instance.region === region && instance.state !== 'terminated';
  return isOwn ? instance : refusal('InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`);
}

function destinationIn({ DestinationCidrBlock: ipv4, DestinationIpv6CidrBlock: ipv6 }: Input): string {
  return ipv4 ?? ipv6 ?? '';
}

function tableTree({ routeTableId, vpcId, accountId, tags, routes }: Ec2RouteTable, context: Ec2Context): XmlTree {
  return {
    routeTableId,
    vpcId,
    ownerId: accountId,
    routeSet: routes.map((route) => routeTree(route, context)),
    associationSet: [],
    propagatingVgwSet: [],
    tagSet: Object.entries(tags).map(([key, value]) => ({ key, value })),
  };
}

function routeTree({ destination, target, origin, state }: Ec2Route, context: Ec2Context): XmlTree {
  const { instanceId } = target;
  const instance = instanceId === undefined ? undefined : targetTree(instanceId, context);
  return {
    [destination.includes(':') ? 'destinationIpv6CidrBlock' : 'destinationCidrBlock']: destination,
    ...(instance?.tree ?? target),
    state: state ?? instance?.state ?? 'active',
    origin,
  };
}

/** An instance that is stopped or gone leaves a blackhole, one that is gone only its interface. */
function targetTree(instanceId: string, { state }: Ec2Context): { readonly tree: XmlTree; readonly state: string } {
  const instance = state.ec2Instances[instanceId];
  const networkInterfaceId = instanceId.replace(/^i-/, 'eni-');
  const isGone = instance === undefined || instance.state === 'terminated';
  if (isGone) return { tree: { networkInterfaceId }, state: 'blackhole' };
  const tree = { instanceId, instanceOwnerId: instance.accountId, networkInterfaceId };
  return { tree, state: instance.state === 'running' ? 'active' : 'blackhole' };
}

function refusal(code: string, message: string): Ec2Error {
  return { status: 400, code, message };
}

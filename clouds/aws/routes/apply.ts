import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { Route, RouteChange, RouteResult } from '../../cloud.ts';
import type { AccountSession, SessionResponse } from '../instances/account-session.ts';
import type { QueryParameters } from '../instances/query-request.ts';
import type { ListedTable } from './list.ts';

/**
 * The table was read just before: EC2 removes the route of a destination wherever it leads by now. A route that is
 * replaced is replaced in one request, so that no packet is lost in between.
 */
export async function applyChange(
  { create, remove }: RouteChange,
  { id, routes }: ListedTable,
  session: AccountSession,
  context: Context,
): Promise<readonly RouteResult[]> {
  const call = (parameters: QueryParameters): Promise<SessionResponse> =>
    session.request('ec2', { ...parameters, RouteTableId: id }, context);
  const modify = (parameters: QueryParameters): Promise<SessionResponse> => session.request('ec2', parameters, context);
  const present = new Map(routes.map((route) => [route.podCidr, route]));
  const created = new Set(create.map(({ podCidr }) => podCidr));
  const replaced = new Map(remove.map((route) => [route.podCidr, route.nextHop]));
  const removals = remove.map((route) => ({
    route,
    // A route that is to be replaced is left to its creation.
    change: created.has(route.podCidr) ? isDone : () => removeRoute(call, route, present.get(route.podCidr)),
  }));
  const creations = create.map((route) => ({
    route,
    change: () => createRoute({ call, modify }, route, present.get(route.podCidr), replaced.get(route.podCidr)),
  }));
  return runInTurn([...removals, ...creations]);
}

interface SingleChange {
  readonly route: Route;
  change(): Promise<Failure | undefined>;
}

function isDone(): Promise<undefined> {
  return Promise.resolve(undefined);
}

/** After a failure that the next request would have too, the rest has the same one. */
async function runInTurn(changes: readonly SingleChange[]): Promise<readonly RouteResult[]> {
  const results: RouteResult[] = [];
  let last: Failure | undefined;
  for (const { route, change } of changes) {
    const failure = last ?? (await failureOf(change));
    if (failure?.kind === 'throttled' || failure?.kind === 'unavailable') last = failure;
    results.push({ route, ...(failure && { failure }) });
  }
  return results;
}

type Call = (parameters: QueryParameters) => Promise<SessionResponse>;

/** Thrown errors that are not failures end the whole call. */
async function failureOf(change: () => Promise<Failure | undefined>): Promise<Failure | undefined> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function destinationOf({ podCidr }: Route): QueryParameters {
  return podCidr.includes(':') ? { DestinationIpv6CidrBlock: podCidr } : { DestinationCidrBlock: podCidr };
}

/** One that leads elsewhere is not the one to remove. */
async function removeRoute(call: Call, route: Route, present: Route | undefined): Promise<Failure | undefined> {
  if (present?.nextHop !== route.nextHop) return undefined;
  const response = await call({ Action: 'DeleteRoute', ...destinationOf(route) });
  if (response.is === 'answer' || response.error.name === 'InvalidRoute.NotFound') return undefined;
  return withAdvice(response);
}

/** First the instance has to accept packets for other addresses than its own, as with upstream's controller. */
async function createRoute(
  { call, modify }: { readonly call: Call; readonly modify: Call },
  route: Route,
  present: Route | undefined,
  replacedHop: string | undefined,
): Promise<Failure | undefined> {
  const { nextHop } = route;
  if (present?.nextHop === nextHop) return undefined;
  if (present !== undefined && present.nextHop !== replacedHop) return alreadyThere(present);
  const attribute = { InstanceId: nextHop, 'SourceDestCheck.Value': 'false' };
  const modified = await modify({ Action: 'ModifyInstanceAttribute', ...attribute });
  if (modified.is === 'refusal') return withAdvice(modified);
  const action = present === undefined ? 'CreateRoute' : 'ReplaceRoute';
  const response = await call({ Action: action, ...destinationOf(route), InstanceId: nextHop });
  return response.is === 'answer' ? undefined : withAdvice(response);
}

/**
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
 * An instance with several interfaces cannot be a target by its id: https://docs.aws.amazon.com/vpc/latest/userguide/VPC_NAT_Instance.html
 */
const advice: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  RouteLimitExceeded: [
    'the route table is full',
    'request a higher quota of routes for each route table, or remove routes that nothing needs',
  ],
  InvalidInstanceID: ['the instance has several network interfaces', 'use instances with a single interface'],
  'InvalidInstanceID.NotFound': ['the instance does not exist', 'it is tried again; its Node should be deleted soon'],
};

function withAdvice({ error, failure }: Extract<SessionResponse, { readonly is: 'refusal' }>): Failure {
  const known = Object.hasOwn(advice, error.name) ? advice[error.name] : undefined;
  if (known === undefined) return failure;
  return new Failure('misconfigured', `EC2 refuses the route: ${known[0]}`, { remedy: known[1], cause: error });
}

function alreadyThere({ podCidr, nextHop }: Route): Failure {
  return new Failure('misconfigured', `there is a route for ${podCidr} already, to ${nextHop || 'another target'}`, {
    remedy: 'it is looked at again; remove that route if nothing needs it',
  });
}

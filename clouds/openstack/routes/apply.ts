import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { Route, RouteChange, RouteResult } from '../../cloud.ts';
import type { RoutedPort } from '../schemas.ts';
import type { OpenstackSession } from '../session.ts';
import { changeAddressPairs, noPort, portsOfNextHops } from './address-pairs.ts';
import { changeExtraRoutes, listExtraRoutes } from './router.ts';

export interface RouterAccess {
  readonly routerId: string;
  readonly session: OpenstackSession;
  readonly context: Context;
}

/**
 * The port of the node first, then the route, also in a removal: a list shows routes only, so what failed half way is
 * done again.
 */
export async function applyChange(
  { create, remove }: RouteChange,
  access: RouterAccess,
): Promise<readonly RouteResult[]> {
  const { routerId, session, context } = access;
  const nextHops = [...remove, ...create].map(({ nextHop }) => nextHop);
  if (nextHops.length === 0) return [];
  const ports = await portsOfNextHops({ routerId, nextHops }, session, context);
  const stays = [...create, ...(await routesBeside(remove, access))];
  const removed = await changeInBoth({ change: 'remove', routes: remove, stays }, ports, access);
  return [...removed, ...(await changeInBoth({ change: 'add', routes: create, stays }, ports, access))];
}

/** The others of the router: a port can be the next hop of several routes with one pod CIDR, by several addresses. */
async function routesBeside(
  remove: readonly Route[],
  { routerId, session, context }: RouterAccess,
): Promise<readonly Route[]> {
  if (remove.length === 0) return [];
  const isRemoved = ({ podCidr, nextHop }: Route): boolean =>
    remove.some((route) => route.podCidr === podCidr && route.nextHop === nextHop);
  return (await listExtraRoutes(routerId, session, context)).filter((route) => !isRemoved(route));
}

interface PartOfChange {
  readonly change: 'add' | 'remove';
  readonly routes: readonly Route[];
  /** Routes whose address pairs are needed afterwards. */
  readonly stays: readonly Route[];
}

/** `ports` are by next hop, and are kept up to date: the next change of a port is for its next revision. */
async function changeInBoth(
  { change, routes, stays }: PartOfChange,
  ports: Map<string, RoutedPort>,
  access: RouterAccess,
): Promise<readonly RouteResult[]> {
  const failures = new Map<Route, Failure>();
  const byPort = Map.groupBy(routes, ({ nextHop }) => ports.get(nextHop)?.id);
  for (const [id, ofPort] of byPort) {
    const failure = await failureOf(() => changePort({ change, routes: ofPort, stays }, id, ports, access));
    if (failure !== undefined) for (const route of ofPort) failures.set(route, failure);
  }
  const ready = routes.filter((route) => !failures.has(route));
  for (const [route, failure] of await changeRouter(change, ready, access)) failures.set(route, failure);
  return routes.map((route) => {
    const failure = failures.get(route);
    return { route, ...(failure && { failure }) };
  });
}

async function changePort(
  { change, routes, stays }: PartOfChange,
  id: string | undefined,
  ports: Map<string, RoutedPort>,
  { session, context }: RouterAccess,
): Promise<void> {
  const port = ports.values().find((each) => each.id === id);
  // The port of a node that is gone is gone too.
  if (port === undefined && change === 'remove') return;
  if (port === undefined) throw noPort(routes.map(({ nextHop }) => nextHop));
  const addresses = new Set(port.fixed_ips.map(({ ip_address: address }) => address));
  const needed = new Set(stays.flatMap(({ podCidr, nextHop }) => (addresses.has(nextHop) ? [podCidr] : [])));
  const all = routes.map(({ podCidr }) => podCidr);
  const podCidrs = change === 'add' ? all : all.filter((podCidr) => !needed.has(podCidr));
  const changed = await changeAddressPairs({ change, podCidrs }, port, session, context);
  for (const [nextHop, each] of ports) if (each.id === id) ports.set(nextHop, changed);
}

/** Together, and if Neutron refuses that, one by one: it refuses all of them for one that it cannot have. */
async function changeRouter(
  change: 'add' | 'remove',
  routes: readonly Route[],
  { routerId, session, context }: RouterAccess,
): Promise<ReadonlyMap<Route, Failure>> {
  if (routes.length === 0) return new Map();
  const failureFor = (part: readonly Route[]): Promise<Failure | undefined> =>
    failureOf(() => changeExtraRoutes(`${change}_extraroutes`, { routerId, routes: part }, session, context));
  const failure = await failureFor(routes);
  if (failure === undefined) return new Map();
  const isForAll = failure.kind === 'throttled' || failure.kind === 'unavailable' || routes.length === 1;
  if (isForAll) return new Map(routes.map((route) => [route, failure]));
  const failures = new Map<Route, Failure>();
  for (const route of routes) {
    const own = await failureFor([route]);
    if (own !== undefined) failures.set(route, own);
  }
  return failures;
}

/** Thrown errors that are not failures end the whole call. */
async function failureOf(change: () => Promise<void>): Promise<Failure | undefined> {
  try {
    await change();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

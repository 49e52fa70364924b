import type { RoutedCloud } from '../../../ccm/route-controller/routed-node.ts';
import type { LookupContext, NodeFacts, Route, RouteResult, Scope } from '../../../clouds/cloud.ts';
import type { Clock } from '../../../lib/clock.ts';
import { Failure } from '../../../lib/failure.ts';
import type { FailureKind } from '../../../lib/failure.ts';

/** `late`: it is done, and the response is lost. */
export type ToyFault = FailureKind | 'hanging' | 'late';

export interface ToyOperation {
  readonly kind: 'list' | 'create' | 'remove';
  readonly atMs: number;
  readonly table: string;
  readonly route?: Route;
}

/** Route tables in memory. A providerID is `CLOUD://TABLE/ID`, and a next hop the internal address of a Node. */
export interface ToyRoutes extends RoutedCloud {
  /** By key. A table that is not there has no routes. */
  readonly routesOf: Map<string, readonly Route[]>;
  readonly operations: ToyOperation[];
  /** What new routes are listed as. */
  owner: Route['owner'];
  /** Asked for each request. */
  faultOf: (kind: ToyOperation['kind'], table: string, route?: Route) => ToyFault | undefined;
  /** Called right before a route is created or removed. */
  beforeChange: (kind: 'create' | 'remove', table: string, route: Route) => void;
}

const callMs = 20;

export function createToyRoutes(name: string, clock: Clock): ToyRoutes {
  async function request(
    kind: ToyOperation['kind'],
    { key }: Scope,
    context: LookupContext,
    route?: Route,
  ): Promise<ToyFault | undefined> {
    await context.beforeCall();
    const fault = cloud.faultOf(kind, key, route);
    if (fault === 'hanging') await clock.sleep(86_400_000, context.signal);
    cloud.operations.push({ kind, atMs: clock.monotonicMs(), table: key, ...(route && { route }) });
    await clock.sleep(callMs, context.signal);
    if (fault !== undefined && fault !== 'late' && fault !== 'hanging') throw toyFailure(fault);
    return fault;
  }

  async function change(
    kind: 'create' | 'remove',
    scope: Scope,
    route: Route,
    context: LookupContext,
  ): Promise<RouteResult> {
    try {
      const fault = await request(kind, scope, context, route);
      cloud.beforeChange(kind, scope.key, route);
      const others = (cloud.routesOf.get(scope.key) ?? []).filter((each) => !isSame(each, route));
      const created = kind === 'create' ? [{ ...route, owner: cloud.owner }] : [];
      cloud.routesOf.set(scope.key, [...others, ...created]);
      return fault === 'late' ? { route, failure: toyFailure('unavailable') } : { route };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { route, failure: error };
    }
  }

  const cloud: ToyRoutes = {
    name,
    routesOf: new Map(),
    operations: [],
    owner: 'unmarked',
    faultOf: () => undefined,
    beforeChange: () => {},
    instances: {
      batchMax: 20,
      scopesOf: ({ providerId }) =>
        providerId?.startsWith(`${name}://`) ? [{ cloud: name, key: `${name}/here` }] : undefined,
      lookUp: () => Promise.reject(new Error('the route controller looks up no instances')),
      verifyAccess: () => Promise.reject(new Error('the route controller looks up no instances')),
    },
    routes: {
      tablesOf: (node) => tablesOf(name, node),
      nextHopOf: (_node, podCidr, addresses) =>
        addresses.find(({ type, address }) => type === 'InternalIP' && address.includes(':') === podCidr.includes(':'))
          ?.address,
      list: async (scope, context) => {
        await request('list', scope, context);
        return cloud.routesOf.get(scope.key) ?? [];
      },
      apply: async (scope, { create, remove }, context) => {
        const results: RouteResult[] = [];
        for (const route of remove) results.push(await change('remove', scope, route, context));
        for (const route of create) results.push(await change('create', scope, route, context));
        return results;
      },
    },
  };
  return cloud;
}

function tablesOf(cloud: string, { providerId = '' }: NodeFacts): readonly Scope[] {
  const [scheme, , table] = providerId.split('/');
  return scheme === `${cloud}:` && table !== undefined ? [{ cloud, key: `${cloud}/${table}` }] : [];
}

function isSame(one: Route, other: Route): boolean {
  return one.podCidr === other.podCidr && one.nextHop === other.nextHop;
}

function toyFailure(kind: FailureKind): Failure {
  return new Failure(kind, `the toy cloud is ${kind}`, { remedy: 'none in a test' });
}

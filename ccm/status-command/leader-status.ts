import { failureFields } from '../../lib/log/failure-fields.ts';
import { version } from '../../lib/command-line/version.ts';
import type { NodeController } from '../node-controller/controller.ts';
import { cloudScopesOf } from '../node-controller/tracked-node.ts';
import type { RouteController } from '../route-controller/controller.ts';
import { routeTableStatuses } from '../route-controller/table-status.ts';
import type { RouteTableStatus } from '../route-controller/table-status.ts';
import type { TrackedNode } from '../node-controller/tracked-node.ts';

/**
 * What the leader writes on its Lease, for `status`. Whoever may read the Lease can read it, without access to the leader
 * itself. It has the failures of clouds that events have too, and no more.
 */
export interface LeaderStatus {
  /** Of the leader that wrote it: another holder of the Lease has not. */
  readonly identity: string;
  readonly version: string;
  readonly clouds: readonly string[];
  readonly nodes: Readonly<Record<TrackedNode['ownership']['kind'], number>>;
  /** At most 50. */
  readonly scopes: readonly ScopeStatus[];
  /** At most 50. Absent: no routes are kept. */
  readonly routeTables?: readonly RouteTableStatus[];
}

export interface ScopeStatus {
  readonly cloud: string;
  readonly scope: string;
  readonly nodes: number;
  /** Absent: no look-up has succeeded. */
  readonly lastSuccess?: string;
  /** The last look-up failed. */
  readonly failure?: string;
  readonly deletionsStopped: boolean;
}

/** More than an operator reads; the Lease must stay small. */
const maxScopes = 50;
const maxFailureCharacters = 300;

export function leaderStatus(
  controller: Pick<NodeController, 'nodes' | 'scopes'>,
  { identity, clouds }: Pick<LeaderStatus, 'identity' | 'clouds'>,
  routes?: Pick<RouteController, 'tables'>,
): LeaderStatus {
  const nodes = { ours: 0, foreign: 0, unmanaged: 0 };
  const nodesByScope = new Map<string, number>();
  for (const tracked of controller.nodes().values()) {
    nodes[tracked.ownership.kind] += 1;
    for (const { scope } of cloudScopesOf(tracked)) nodesByScope.set(scope.key, (nodesByScope.get(scope.key) ?? 0) + 1);
  }
  const scopes = controller.scopes();
  const stopped = new Set([...scopes.all()].flatMap(({ key, open }) => (open ? [key] : [])));
  const all = scopes.lastSuccesses().map(({ cloud, scope, atWallMs, failure }): ScopeStatus => ({
    cloud,
    scope,
    nodes: nodesByScope.get(scope) ?? 0,
    ...(atWallMs > 0 && { lastSuccess: new Date(atWallMs).toISOString() }),
    ...(failure !== undefined && { failure: failureFields(failure).err.slice(0, maxFailureCharacters) }),
    deletionsStopped: stopped.has(scope),
  }));
  // Those with a problem first: they must not be the ones that are left out.
  const sorted = all.toSorted((one, other) => problemsOf(other) - problemsOf(one));
  return {
    identity,
    version,
    clouds,
    nodes,
    scopes: sorted.slice(0, maxScopes),
    ...(routes && { routeTables: routeTableStatuses(routes).slice(0, maxScopes) }),
  };
}

function problemsOf({ failure, deletionsStopped }: ScopeStatus): number {
  return (failure === undefined ? 0 : 1) + (deletionsStopped ? 1 : 0);
}

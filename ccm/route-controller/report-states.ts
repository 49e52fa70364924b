import type { NodeUid } from '../../clouds/index.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import { printable } from '../../lib/printable.ts';
import { wellKnown } from '../../schemas/keys.ts';
import type { Node, NodeCondition } from '../../schemas/kubernetes.ts';
import { LeadershipLost } from '../node-controller/cluster.ts';
import type { RoutedNode } from './routed-node.ts';
import type { NodeRouteState, RouteState, RouteTable } from './state.ts';

/** Writes the condition `NetworkUnavailable` of the Nodes of a table, and an event about each route that is missing. */
export async function reportStates(table: RouteTable, state: RouteState): Promise<void> {
  await Promise.all([...table.states.keys()].map((uid) => reportNode(uid, state)));
}

async function reportNode(uid: NodeUid, state: RouteState): Promise<void> {
  const routed = state.nodes.get(uid);
  if (routed === undefined) return;
  const routes = routeStateOf(routed, state);
  if (routes === undefined || routes.is === 'pending') return;
  try {
    await writeCondition(routed, routes, state);
    await writeWarning(routed, routes, state);
    state.reports.set(uid, { ...state.reports.get(uid), writeFails: false });
  } catch (error) {
    if (error instanceof LeadershipLost) throw error;
    const { reports, dependencies } = state;
    const line = { node: routed.node.metadata.name, reason: 'RouteNotReported', ...failureFields(error) };
    // It is tried again with the next look at the table.
    if (reports.get(uid)?.writeFails !== true) dependencies.log.standard('nodeFailing', line);
    reports.set(uid, { ...reports.get(uid), writeFails: true });
  }
}

/** In all its tables. `undefined`: not decided in each of them yet. */
export function routeStateOf(
  { uid, routes, reason }: RoutedNode,
  { tables }: Pick<RouteState, 'tables'>,
): NodeRouteState | undefined {
  const keys = new Set(routes.map(({ table }) => table.key));
  const states = [...keys].map((key) => tables.get(key)?.states.get(uid));
  const failed = states.find((each) => each?.is === 'failed');
  if (failed !== undefined) return failed;
  if (states.length === 0 || states.includes(undefined)) return undefined;
  const isPending = reason !== undefined || states.some((each) => each?.is === 'pending');
  return { is: isPending ? 'pending' : 'present' };
}

async function writeCondition(
  { uid, node }: RoutedNode,
  { is }: NodeRouteState,
  { reports, dependencies }: RouteState,
): Promise<void> {
  const { cluster, clock, metrics } = dependencies;
  const condition = networkCondition(node, is === 'present', clock.wallMs());
  if (condition === undefined) return;
  // The watch may not have delivered it yet.
  const written = `${node.metadata.resourceVersion} ${condition.status}`;
  if (reports.get(uid)?.condition === written) return;
  if ((await cluster.setCondition(node, condition)) === 'written') metrics.countWrites('condition', 1);
  reports.set(uid, { ...reports.get(uid), condition: written });
}

const texts = {
  present: { status: 'False', reason: 'RouteCreated', message: 'RouteController created a route' },
  failed: { status: 'True', reason: 'NoRouteCreated', message: 'RouteController failed to create a route' },
} as const;

/**
 * Status, reason and message are upstream's. `undefined`: the Node has the status. As with upstream, the reason may be
 * another one: network plugins such as Cilium write theirs again as soon as somebody else has written. Pure.
 */
function networkCondition(node: Node, hasRoutes: boolean, wallMs: number): NodeCondition | undefined {
  const type = wellKnown.networkUnavailable;
  const { status, reason, message } = texts[hasRoutes ? 'present' : 'failed'];
  const present = node.status.conditions?.find((each) => each.type === type);
  if (present?.status === status) return undefined;
  const now = new Date(wallMs).toISOString();
  return { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime: now };
}

/** Once for each reason, until the Node has its routes. */
async function writeWarning(
  { uid, node }: RoutedNode,
  routes: NodeRouteState,
  { reports, dependencies }: RouteState,
): Promise<void> {
  const { warning, ...others } = reports.get(uid) ?? {};
  const { name } = node.metadata;
  const { cluster, log, metrics } = dependencies;
  if (routes.is !== 'failed') {
    if (warning === undefined) return;
    reports.set(uid, others);
    log.standard('nodeRouteRecovered', { node: name });
    return;
  }
  const message = printable(routes.reason);
  if (warning === message) return;
  reports.set(uid, { ...others, warning: message });
  log.standard('nodeRouteFailing', { node: name, err: message });
  const written = await cluster.recordEvent(node, { type: 'Warning', reason: 'FailedToCreateRoute', message });
  if (written === 'written') metrics.countWrites('event', 1);
}

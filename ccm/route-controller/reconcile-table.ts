import type { Route } from '../../clouds/index.ts';
import { untilAborted } from '../../lib/kubernetes/until-aborted.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import { LeadershipLost } from '../node-controller/cluster.ts';
import { applyDecision } from './apply-decision.ts';
import { asFailure, callContext } from './call-context.ts';
import { decideRoutes } from './decide.ts';
import type { RouteDecision, TableView } from './decide.ts';
import type { WantedRoute } from './routed-node.ts';
import { nodeStates } from './node-states.ts';
import { reportStates } from './report-states.ts';
import { logLeft, logPlan } from './route-log.ts';
import type { RouteState, RouteTable } from './state.ts';

/** One look at a table, from top to bottom: list, decide, change, report. */
export async function reconcileTable(table: RouteTable, state: RouteState, signal: AbortSignal): Promise<void> {
  const { metrics, settings, log } = state.dependencies;
  const present = await listRoutes(table, state, signal);
  if (present === undefined) return;
  const view = viewOf(table, present, state);
  state.former.keepOnly(table.scope.key, present);
  const decision = decideRoutes(view);
  table.left = decision.left;
  logLeft(table, log);
  if (settings.dryRun) logPlan(table, decision, log);
  const created = await applyDecision({ decision, revision: state.revision }, table, state, signal);
  table.states = nodeStates(decision, created, table);
  metrics.countRouteRun(isNoop(decision) ? 'noop' : 'changed');
  await reportStates(table, state);
}

/** `undefined`: they could not be listed, so nothing is decided. */
async function listRoutes(
  table: RouteTable,
  state: RouteState,
  signal: AbortSignal,
): Promise<readonly Route[] | undefined> {
  const { clock, metrics } = state.dependencies;
  try {
    const context = await callContext(table, state, signal);
    const routes = await untilAborted(table.cloud.routes.list(table.scope, context), context.signal);
    table.rateLimiter.succeeded();
    table.failureLog.recovered();
    table.failure = undefined;
    table.lastSuccessWallMs = clock.wallMs();
    return routes;
  } catch (error) {
    if (signal.aborted) throw new LeadershipLost('leadership ended while routes were listed', { cause: error });
    table.failure = asFailure(error, table);
    table.rateLimiter.failed(table.failure, clock.monotonicMs());
    table.failureLog.failed(failureFields(table.failure));
    // When the backoff ends.
    table.dueAtMs = clock.monotonicMs();
    metrics.countRouteRun('error');
    return undefined;
  }
}

function viewOf(
  { scope }: RouteTable,
  present: readonly Route[],
  { nodes, former, dependencies }: RouteState,
): TableView {
  const wanted: WantedRoute[] = [];
  const otherCidrs: TableView['otherCidrs'][number][] = [];
  for (const { uid, node, podCidrs, routes } of nodes.values()) {
    const { name, creationTimestamp } = node.metadata;
    for (const podCidr of podCidrs) {
      const route = routes.find((each) => each.table.key === scope.key && each.podCidr === podCidr);
      if (route === undefined) otherCidrs.push(podCidr);
      else wanted.push({ uid, node: name, createdAt: creationTimestamp, podCidr, nextHop: route.nextHop });
    }
  }
  const isFormer = (podCidr: string, nextHop?: string): boolean => former.has(scope.key, podCidr, nextHop);
  return { clusterCidrs: dependencies.settings.clusterCidrs, present, wanted, otherCidrs, isFormer };
}

function isNoop({ verdicts, remove }: RouteDecision): boolean {
  return remove.length === 0 && [...verdicts.values()].every(({ is }) => is !== 'missing');
}

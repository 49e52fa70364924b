import type { NodeUid } from '../../clouds/index.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import { isOlder } from '../../lib/node/same-node.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import { LeadershipLost, notLeading } from '../node-controller/cluster.ts';
import type { Cluster } from '../node-controller/cluster.ts';
import { createFormerRoutes } from './former-routes.ts';
import { reconcileTable } from './reconcile-table.ts';
import { routeStateOf } from './report-states.ts';
import { routedNodeOf } from './routed-node.ts';
import type { RoutedNode } from './routed-node.ts';
import { nextRunAtMs, openTable } from './state.ts';
import type { NodeRouteState, RouteDependencies, RouteState, RouteTable } from './state.ts';

/** Keeps the routes to the pods of the Nodes while it leads. */
export interface RouteController {
  /** A Node was created or has changed. */
  nodeChanged(node: Node): void;
  /** A Node was deleted. */
  nodeRemoved(uid: NodeUid): void;
  lead(signal: AbortSignal, cluster: Cluster, mayWrite: () => boolean): Promise<void>;
  tables(): readonly RouteTable[];
  nodes(): ReadonlyMap<NodeUid, RoutedNode>;
  /** `undefined`: the Node needs none, or it was not decided yet. */
  stateOf(uid: NodeUid): NodeRouteState | undefined;
}

/** Nodes that register together get their routes together. */
const gatherMs = 200;
const maxIdleMs = 1_000;
const minIdleMs = 10;

export function createRouteController(parts: Omit<RouteDependencies, 'cluster' | 'mayWrite'>): RouteController {
  const state: RouteState = {
    dependencies: { ...parts, cluster: notLeading, mayWrite: () => false },
    nodes: new Map(),
    former: createFormerRoutes(),
    tables: new Map(),
    reports: new Map(),
    revision: 0,
    wake: () => {},
  };
  return {
    nodeChanged: (node) => nodeChanged(node, state),
    nodeRemoved: (uid) => nodeRemoved(uid, state),
    lead: (signal, cluster, mayWrite) => {
      state.dependencies = { ...parts, cluster, mayWrite };
      return lead(state, signal);
    },
    tables: () => [...state.tables.values()],
    nodes: () => state.nodes,
    stateOf: (uid) => {
      const routed = state.nodes.get(uid);
      return routed && routeStateOf(routed, state);
    },
  };
}

function nodeChanged(node: Node, state: RouteState): void {
  const before = state.nodes.get(node.metadata.uid);
  if (before !== undefined && isOlder(node, before.node)) return;
  const after = routedNodeOf(node, state.dependencies.clouds);
  state.nodes.set(after.uid, after);
  state.former.nodeChanged(after);
  if (before === undefined || routesText(before) !== routesText(after)) nodesHaveChanged(state);
}

function nodeRemoved(uid: NodeUid, state: RouteState): void {
  state.former.nodeRemoved(uid);
  state.nodes.delete(uid);
  state.reports.delete(uid);
  nodesHaveChanged(state);
}

/** All that decides about routes. */
function routesText({ podCidrs, isOurs, routes, reason }: RoutedNode): string {
  const texts = routes.map(({ table, podCidr, nextHop }) => `${table.key} ${podCidr.text} ${nextHop}`);
  return [isOurs, reason, ...podCidrs.map(({ text }) => text), ...texts].join('\n');
}

function nodesHaveChanged(state: RouteState): void {
  state.revision += 1;
  const atMs = state.dependencies.clock.monotonicMs() + gatherMs;
  for (const table of state.tables.values()) table.dueAtMs = Math.min(table.dueAtMs, atMs);
  state.wake();
}

async function lead(state: RouteState, signal: AbortSignal): Promise<void> {
  state.tables.clear();
  state.reports.clear();
  const running = new Set<Promise<void>>();
  try {
    while (!signal.aborted) {
      openTables(state);
      for (const table of dueTables(state)) {
        const run = runTable(table, state, signal).finally(() => running.delete(run));
        running.add(run);
      }
      await sleepUntilDue(state, signal);
    }
  } finally {
    await Promise.allSettled(running);
    // Another replica knows better from now on. Metrics would still report what failed here.
    state.tables.clear();
  }
}

/** A table stays when its last Node is gone: it may still have the route to it. */
function openTables({ nodes, tables, dependencies }: RouteState): void {
  for (const { routes } of nodes.values()) {
    for (const { cloud, table } of routes) {
      if (!tables.has(table.key)) tables.set(table.key, openTable(cloud, table, dependencies));
    }
  }
}

function dueTables({ tables, dependencies: { clock } }: RouteState): readonly RouteTable[] {
  return [...tables.values()].filter((table) => nextRunAtMs(table, clock.monotonicMs()) <= clock.monotonicMs());
}

async function runTable(table: RouteTable, state: RouteState, signal: AbortSignal): Promise<void> {
  const { clock, log, settings } = state.dependencies;
  table.busy = true;
  table.dueAtMs = clock.monotonicMs() + settings.routeReconciliationPeriodMs;
  try {
    await reconcileTable(table, state, signal);
  } catch (error) {
    if (!(error instanceof LeadershipLost)) log.error('Work of the route controller failed', failureFields(error));
  } finally {
    table.busy = false;
    state.wake();
  }
}

async function sleepUntilDue(state: RouteState, signal: AbortSignal): Promise<void> {
  const { clock } = state.dependencies;
  const wakeUp = new AbortController();
  state.wake = () => wakeUp.abort(new Error('woken'));
  const nowMs = clock.monotonicMs();
  const dueInMs = [...state.tables.values()].map((table) => nextRunAtMs(table, nowMs) - nowMs);
  const waitMs = Math.max(minIdleMs, Math.min(maxIdleMs, ...dueInMs));
  await clock.sleep(waitMs, AbortSignal.any([signal, wakeUp.signal])).catch(() => undefined);
  state.wake = () => {};
}

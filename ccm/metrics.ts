import type { Clock } from '../lib/clock.ts';
import { failureReasonOf } from '../lib/failure-reason.ts';
import type { Metrics } from '../lib/metrics/metrics.ts';
import { isReady, isUninitialized } from '../lib/node/read-node.ts';
import { controllerMetrics as declared } from '../schemas/metrics/controller.ts';
import type { NodeController } from './node-controller/controller.ts';
import type { ControllerMetrics } from './node-controller/dependencies.ts';
import type { RouteController } from './route-controller/controller.ts';
import type { RouteMetrics } from './route-controller/state.ts';
import { readyAtMs } from './node-controller/tracked-node.ts';
import type { TrackedNode } from './node-controller/tracked-node.ts';

export function createControllerMetrics(metrics: Metrics): ControllerMetrics & RouteMetrics {
  const lookups = metrics.counter(declared.lookups);
  const scopeLookups = metrics.counter(declared.scopeLookups);
  const lookupFailures = metrics.counter(declared.lookupFailures);
  const cloudRequests = metrics.counter(declared.cloudRequests);
  const initialized = metrics.histogram(declared.initialized);
  const writes = metrics.counter(declared.writes);
  const decisions = metrics.counter(declared.decisions);
  const deletions = metrics.counter(declared.deletions);
  const breakers = metrics.gauge(declared.breakerOpen);
  const routeRuns = metrics.counter(declared.routeRuns);
  const routeChanges = metrics.counter(declared.routeChanges);
  return {
    countLookup: ({ cloud, scope }, { failure, throttled }) => {
      const result = failure === undefined ? 'success' : 'error';
      lookups.add({ operation: 'instance_metadata', result }, 1);
      scopeLookups.add({ cloud, scope, result }, 1);
      const problem = failure ?? throttled;
      if (problem !== undefined) lookupFailures.add({ cloud, scope, reason: failureReasonOf(problem) }, 1);
    },
    countCloudRequest: (cloud, status) =>
      cloudRequests.add({ cloud, code: status === undefined ? '<error>' : String(status) }, 1),
    observeInitialization: (seconds) => initialized.observe({}, seconds),
    countWrites: (kind, count) => writes.add({ kind }, count),
    countDecision: (action) => decisions.add({ action }, 1),
    countDeletion: (status) => deletions.add({ word: status }, 1),
    setBreaker: (scope, open) => breakers.set({ scope }, open ? 1 : 0),
    countRouteRun: (outcome) => routeRuns.add({ outcome }, 1),
    countRouteChange: (change, result) => routeChanges.add({ change, result }, 1),
  };
}

export interface LeaderMetrics {
  setLeading(isLeading: boolean): void;
}

export interface MeasuredControllers {
  readonly nodes: Pick<NodeController, 'nodes' | 'scopes'>;
  /** Absent: no routes are kept. */
  readonly routes: Pick<RouteController, 'nodes' | 'tables' | 'stateOf'> | undefined;
}

/** What is read from the controllers at each scrape, and whether this replica leads. */
export function measureController(
  metrics: Metrics,
  { nodes: controller, routes }: MeasuredControllers,
  clock: Pick<Clock, 'monotonicMs'>,
): LeaderMetrics {
  let isLeading = false;
  const transitions = metrics.counter(declared.leaderTransitions);
  metrics.measured(declared.leading, () => [[{}, isLeading ? 1 : 0]]);
  metrics.measured(declared.nodes, () => countNodes(controller.nodes().values()));
  metrics.measured(declared.queuedNodes, () => {
    const nowMs = clock.monotonicMs();
    // Only a leader takes Nodes from the queue.
    return [
      [
        {},
        isLeading
          ? controller
              .nodes()
              .values()
              .filter((each) => readyAtMs(each) <= nowMs)
              .toArray().length
          : 0,
      ],
    ];
  });
  metrics.measured(declared.lastLookup, () =>
    controller
      .scopes()
      .lastSuccesses()
      .map(({ cloud, scope, atWallMs }) => [{ cloud, scope }, atWallMs / 1_000] as const),
  );
  metrics.measured(declared.routedNodes, () => (routes === undefined ? [] : countRoutedNodes(routes)));
  const tables = () =>
    routes?.tables().map(({ cloud, scope, ...table }) => ({ of: { cloud: cloud.name, scope: scope.key }, ...table })) ??
    [];
  metrics.measured(declared.routesLeft, () => tables().map(({ of, left }) => [of, left.length] as const));
  metrics.measured(declared.lastRouteList, () =>
    tables().map(({ of, lastSuccessWallMs }) => [of, lastSuccessWallMs / 1_000] as const),
  );
  return {
    setLeading: (next) => {
      if (next) transitions.add({}, 1);
      isLeading = next;
    },
  };
}

type NodeState = (typeof declared.nodes.labels.state)[number];

function countNodes(nodes: Iterable<TrackedNode>): readonly (readonly [{ readonly state: NodeState }, number])[] {
  const counts = new Map<NodeState, number>(declared.nodes.labels.state.map((state) => [state, 0]));
  for (const tracked of nodes) {
    const state = stateOf(tracked);
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return [...counts].map(([state, count]) => [{ state }, count]);
}

function stateOf({ node, ownership }: TrackedNode): NodeState {
  if (ownership.kind !== 'ours') return 'unmanaged';
  if (isUninitialized(node)) return 'uninitialized';
  return isReady(node) ? 'ready' : 'not-ready';
}

type RoutedState = (typeof declared.routedNodes.labels.state)[number];

function countRoutedNodes(
  routes: Pick<RouteController, 'nodes' | 'stateOf'>,
): readonly (readonly [{ readonly state: RoutedState }, number])[] {
  const states = [...routes.nodes().keys()].map((uid) => routes.stateOf(uid)?.is ?? 'pending');
  return declared.routedNodes.labels.state.map((state) => [{ state }, states.filter((each) => each === state).length]);
}

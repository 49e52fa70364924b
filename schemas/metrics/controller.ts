import { anyCloud, anyScope, failureReasonValues } from './declaration.ts';
import type { MetricDeclarations } from './declaration.ts';

/** The metrics of the controller. Upstream's names where it counts the same thing, so that dashboards keep working. */
export const controllerMetrics = {
  leading: {
    name: 'polycloud_ccm_leading',
    type: 'gauge',
    help: '1 if this replica leads.',
    labels: {},
  },
  leaderTransitions: {
    name: 'polycloud_ccm_leader_transitions_total',
    type: 'counter',
    help: 'How often this replica began to lead.',
    labels: {},
  },
  nodes: {
    name: 'polycloud_ccm_nodes',
    type: 'gauge',
    help: 'Nodes of the cluster; unmanaged: of no enabled cloud, or excluded.',
    labels: { state: ['ready', 'not-ready', 'uninitialized', 'unmanaged'] },
  },
  queuedNodes: {
    name: 'polycloud_ccm_queued_nodes',
    type: 'gauge',
    help: 'Nodes whose look-up is due and has not begun.',
    labels: {},
  },
  lookups: {
    name: 'cloud_node_lifecycle_controller_cloud_provider_calls_total',
    type: 'counter',
    help: 'Batches of nodes that were looked up in a cloud.',
    labels: { operation: ['instance_metadata'], result: ['success', 'error'] },
  },
  scopeLookups: {
    name: 'polycloud_ccm_looks_total',
    type: 'counter',
    help: 'Batches of nodes that were looked up in a cloud, by scope.',
    labels: { cloud: anyCloud, scope: anyScope, result: ['success', 'error'] },
  },
  lookupFailures: {
    name: 'polycloud_ccm_lookup_failures_total',
    type: 'counter',
    help: 'Look-ups of batches that failed, wholly or because a part was throttled.',
    labels: { cloud: anyCloud, scope: anyScope, reason: failureReasonValues },
  },
  lastLookup: {
    name: 'polycloud_ccm_last_success_timestamp_seconds',
    type: 'gauge',
    help: 'When a look-up in this scope last succeeded, in seconds since 1970; 0: not since this replica leads.',
    labels: { cloud: anyCloud, scope: anyScope },
  },
  cloudRequests: {
    name: 'polycloud_ccm_cloud_requests_total',
    type: 'counter',
    help: 'HTTP requests of look-ups to a cloud by status code; <error> is no response.',
    labels: { cloud: anyCloud, code: { atMost: 40 } },
  },
  decisions: {
    name: 'polycloud_ccm_decisions_total',
    type: 'counter',
    help: 'Decisions about the lifecycle of Nodes after a look-up, by what is to be done.',
    labels: { action: ['nothing', 'wait', 'taint', 'delete'] },
  },
  deletions: {
    name: 'polycloud_ccm_deletions_total',
    type: 'counter',
    help: 'Nodes deleted, by what the cloud reported of the instance.',
    labels: { word: ['terminated', 'not-found'] },
  },
  breakerOpen: {
    name: 'polycloud_ccm_breaker_open',
    type: 'gauge',
    help: '1 if deletions by not-found are stopped in this scope.',
    labels: { scope: anyScope },
  },
  routeRuns: {
    name: 'route_controller_route_sync_total',
    type: 'counter',
    help: 'How often a route table was compared with the Nodes; error: it could not be listed.',
    labels: { outcome: ['changed', 'noop', 'error'] },
  },
  routeChanges: {
    name: 'polycloud_ccm_route_changes_total',
    type: 'counter',
    help: 'Routes that were created or removed, or could not be.',
    labels: { change: ['create', 'remove'], result: ['success', 'error'] },
  },
  routedNodes: {
    name: 'polycloud_ccm_routed_nodes',
    type: 'gauge',
    help: 'Nodes by the routes to their pods, with --configure-cloud-routes; pending: not decided, or none is needed.',
    labels: { state: ['present', 'pending', 'failed'] },
  },
  routesLeft: {
    name: 'polycloud_ccm_routes_left',
    type: 'gauge',
    help: 'Routes inside --cluster-cidr that no Node needs and that are not known to be of former Nodes.',
    labels: { cloud: anyCloud, scope: anyScope },
  },
  lastRouteList: {
    name: 'polycloud_ccm_routes_last_success_timestamp_seconds',
    type: 'gauge',
    help: 'When the routes of this table were last listed, in seconds since 1970; 0: not since this replica leads.',
    labels: { cloud: anyCloud, scope: anyScope },
  },
  initialized: {
    name: 'node_controller_initial_node_sync_delay_seconds',
    type: 'histogram',
    help: 'Time from the creation of a Node until it was initialised.',
    labels: {},
    buckets: [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 256, 1024],
  },
  writes: {
    name: 'polycloud_ccm_writes_total',
    type: 'counter',
    help: 'Writes to the API server.',
    labels: { kind: ['node', 'taint', 'condition', 'event'] },
  },
} as const satisfies MetricDeclarations;

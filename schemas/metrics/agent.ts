import { failureReasonValues } from './declaration.ts';
import type { MetricDeclarations } from './declaration.ts';

/** The metrics of the agent about its Node. A metric that upstream has too keeps its upstream name. */
export const agentMetrics = {
  reads: {
    name: 'polycloud_node_agent_metadata_reads_total',
    type: 'counter',
    help: 'Reads of the instance metadata.',
    labels: { result: ['success', 'error'] },
  },
  syncs: {
    name: 'polycloud_node_agent_syncs_total',
    type: 'counter',
    help: 'Syncs of the Node with its instance; planned: a dry run, left-alone: not managed by this agent.',
    labels: { result: ['synced', 'planned', 'left-alone', 'replaced', 'failed'] },
  },
  syncFailures: {
    name: 'polycloud_node_agent_sync_failures_total',
    type: 'counter',
    help: 'Failed syncs by where the failure comes from and why.',
    labels: { source: ['machine', 'api-server', 'node'], reason: failureReasonValues },
  },
  writes: {
    name: 'polycloud_node_agent_writes_total',
    type: 'counter',
    help: 'Writes to the API server.',
    labels: { kind: ['node', 'event'] },
  },
  lastSuccess: {
    name: 'polycloud_node_agent_last_success_timestamp_seconds',
    type: 'gauge',
    help: 'When the Node was last in sync with its instance, in seconds since 1970.',
    labels: {},
  },
  initialized: {
    name: 'node_controller_initial_node_sync_delay_seconds',
    type: 'histogram',
    help: 'Time from the creation of a Node until it was initialised.',
    labels: {},
    buckets: [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 256, 1024],
  },
  sinceStart: {
    name: 'polycloud_node_agent_initialization_seconds',
    type: 'gauge',
    help: 'Time from the start of this process until it had initialised its Node; 0 if there was nothing to do.',
    labels: {},
  },
} as const satisfies MetricDeclarations;

const effects = ['ends', 'restarts', 'pauses', 'may-end'] as const;

/** The metrics of the agent about notices and drains, where the cloud has notices. */
export const interruptionMetrics = {
  polls: {
    name: 'polycloud_node_agent_notice_polls_total',
    type: 'counter',
    help: 'Polls of the notices; partial: not all sources could be read.',
    labels: { result: ['success', 'partial', 'error'] },
  },
  announced: {
    name: 'polycloud_node_agent_notices_total',
    type: 'counter',
    help: 'Notices that were seen for the first time, by what they mean for the instance.',
    labels: { effect: effects },
  },
  notices: {
    name: 'polycloud_node_agent_active_notices',
    type: 'gauge',
    help: 'Notices that hold now, by what they mean for the instance.',
    labels: { effect: effects },
  },
  drains: {
    name: 'polycloud_node_agent_drains_total',
    type: 'counter',
    help: 'Drains that ended; stopped: the reason was gone before all pods were.',
    labels: { result: ['finished', 'stopped'] },
  },
  drainDeadline: {
    name: 'polycloud_node_agent_drain_deadline_timestamp_seconds',
    type: 'gauge',
    help: 'When the instance goes, in seconds since 1970; 0 if no time is known.',
    labels: {},
  },
  remainingPods: {
    name: 'polycloud_node_agent_drain_remaining_pods',
    type: 'gauge',
    help: 'Pods that have to go and are still there.',
    labels: {},
  },
  blockedPods: {
    name: 'polycloud_node_agent_drain_blocked_pods',
    type: 'gauge',
    help: 'Pods that a budget protects.',
    labels: {},
  },
} as const satisfies MetricDeclarations;

import type { Metrics } from '../lib/metrics/metrics.ts';

/** The metrics of the agent. A metric that upstream has too keeps its upstream name. */
export interface AgentMetrics {
  metadataRead(result: 'success' | 'error'): void;
  /** The Node is in sync with its instance, after this many writes. */
  nodeSynced(writes: number, atWallMs: number): void;
  initialized(sinceCreationMs: number): void;
  eventWritten(): void;
}

const msPerSecond = 1_000;

export function createAgentMetrics(metrics: Metrics): AgentMetrics {
  const reads = metrics.counter({
    name: 'polycloud_node_agent_metadata_reads_total',
    help: 'Reads of the instance metadata.',
    labels: { result: ['success', 'error'] },
  });
  const writes = metrics.counter({
    name: 'polycloud_node_agent_writes_total',
    help: 'Writes to the API server.',
    labels: { kind: ['node', 'event'] },
  });
  const lastSuccess = metrics.gauge({
    name: 'polycloud_node_agent_last_success_timestamp_seconds',
    help: 'When the Node was last in sync with its instance, in seconds since 1970.',
    labels: {},
  });
  const initialized = metrics.histogram({
    name: 'node_controller_initial_node_sync_delay_seconds',
    help: 'Time from the creation of a Node until it was initialised.',
    labels: {},
    buckets: [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 256, 1024],
  });
  const sinceStart = metrics.gauge({
    name: 'polycloud_node_agent_initialization_seconds',
    help: 'Time from the start of this process until it had initialised its Node; 0 if there was nothing to do.',
    labels: {},
  });
  return {
    metadataRead: (result) => reads.add({ result }, 1),
    nodeSynced: (count, atWallMs) => {
      writes.add({ kind: 'node' }, count);
      lastSuccess.set({}, atWallMs / msPerSecond);
    },
    initialized: (sinceCreationMs) => {
      initialized.observe({}, sinceCreationMs / msPerSecond);
      sinceStart.set({}, process.uptime());
    },
    eventWritten: () => writes.add({ kind: 'event' }, 1),
  };
}

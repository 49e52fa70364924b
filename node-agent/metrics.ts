import type { Metrics } from '../lib/metrics/metrics.ts';
import { agentMetrics as declared } from '../schemas/metrics/agent.ts';
import type { SyncResult } from './node-sync/sync-node.ts';

/** The metrics of the agent about its Node. */
export interface AgentMetrics {
  metadataRead(result: 'success' | 'error'): void;
  syncEnded(result: SyncResult): void;
  /** The Node is in sync with its instance, after this many writes. */
  nodeSynced(writes: number, atWallMs: number): void;
  initialized(sinceCreationMs: number): void;
  eventWritten(): void;
}

const msPerSecond = 1_000;

export function createAgentMetrics(metrics: Metrics): AgentMetrics {
  const reads = metrics.counter(declared.reads);
  const syncs = metrics.counter(declared.syncs);
  const syncFailures = metrics.counter(declared.syncFailures);
  const writes = metrics.counter(declared.writes);
  const lastSuccess = metrics.gauge(declared.lastSuccess);
  const initialized = metrics.histogram(declared.initialized);
  const sinceStart = metrics.gauge(declared.sinceStart);
  return {
    metadataRead: (result) => reads.add({ result }, 1),
    syncEnded: (result) => {
      syncs.add({ result: result.kind }, 1);
      if (result.kind === 'failed') syncFailures.add({ source: result.source, reason: result.failureReason }, 1);
    },
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

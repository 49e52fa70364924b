import type { Metrics } from '../lib/metrics/metrics.ts';
import type { ControllerMetrics } from './node-controller/dependencies.ts';

/** Upstream's names where it counts the same thing, so that dashboards keep working. */
export function createControllerMetrics(metrics: Metrics, cloudNames: readonly string[]): ControllerMetrics {
  const scope = { atMost: 200 } as const;
  const lookups = metrics.counter({
    name: 'cloud_node_lifecycle_controller_cloud_provider_calls_total',
    help: 'Batches of nodes that were looked up in a cloud.',
    labels: { operation: ['instance_metadata'], result: ['success', 'error'] },
  });
  const scopeLookups = metrics.counter({
    name: 'polycloud_ccm_looks_total',
    help: 'Batches of nodes that were looked up in a cloud, by scope.',
    labels: { cloud: cloudNames, scope, result: ['success', 'error'] },
  });
  const initialized = metrics.histogram({
    name: 'node_controller_initial_node_sync_delay_seconds',
    help: 'Time from the creation of a Node until it was initialised.',
    labels: {},
    buckets: [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 256, 1024],
  });
  const writes = metrics.counter({
    name: 'polycloud_ccm_writes_total',
    help: 'Writes to the API server.',
    labels: { kind: ['node', 'taint', 'condition', 'event'] },
  });
  const deletions = metrics.counter({
    name: 'polycloud_ccm_deletions_total',
    help: 'Nodes deleted, by what the cloud reported of the instance.',
    labels: { word: ['terminated', 'not-found'] },
  });
  const breakers = metrics.gauge({
    name: 'polycloud_ccm_breaker_open',
    help: '1 if deletions by not-found are stopped in this scope.',
    labels: { scope },
  });
  return {
    countLookup: (cloud, scopeKey, result) => {
      lookups.add({ operation: 'instance_metadata', result }, 1);
      scopeLookups.add({ cloud, scope: scopeKey, result }, 1);
    },
    observeInitialization: (seconds) => initialized.observe({}, seconds),
    countWrites: (kind, count) => writes.add({ kind }, count),
    countDeletion: (status) => deletions.add({ word: status }, 1),
    setBreaker: (scopeKey, open) => breakers.set({ scope: scopeKey }, open ? 1 : 0),
  };
}

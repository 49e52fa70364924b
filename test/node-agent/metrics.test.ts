import t from 'tap';
import { createMetrics } from '../../lib/metrics/metrics.ts';
import { createBrokerMetrics } from '../../node-agent/broker/metrics.ts';
import { createInterruptionMetrics } from '../../node-agent/interruption/metrics.ts';
import { createAgentMetrics } from '../../node-agent/metrics.ts';
import { agentMetrics, interruptionMetrics } from '../../schemas/metrics/agent.ts';
import { brokerMetrics } from '../../schemas/metrics/broker.ts';
import { checkServed } from '../support/declared-metrics.ts';

await t.test('exactly the declared metrics are registered', (t) => {
  const metrics = createMetrics();
  createAgentMetrics(metrics);
  createInterruptionMetrics(metrics, { assessed: () => [], deadlineAtMs: () => undefined, progress: () => undefined });
  createBrokerMetrics(metrics, () => 0);
  checkServed(t, metrics.text(), [agentMetrics, interruptionMetrics, brokerMetrics]);
  t.end();
});

await t.test('a failed sync has its source and its reason', (t) => {
  const metrics = createMetrics();
  const { syncEnded } = createAgentMetrics(metrics);
  syncEnded({ kind: 'left-alone', why: 'label' });
  syncEnded({
    kind: 'failed',
    reason: 'NodeUpdateFailed',
    message: 'no',
    failure: { err: 'no' },
    problemKey: 'x',
    source: 'machine',
    failureReason: 'timeout',
    retryAfterMs: undefined,
  });
  t.match(metrics.text(), 'polycloud_node_agent_syncs_total{result="left-alone"} 1\n');
  t.match(metrics.text(), 'polycloud_node_agent_syncs_total{result="failed"} 1\n');
  t.match(metrics.text(), 'polycloud_node_agent_sync_failures_total{source="machine",reason="timeout"} 1\n');
  t.end();
});

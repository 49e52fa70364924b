import type { Notice } from '../../clouds/index.ts';
import type { Metrics } from '../../lib/metrics/metrics.ts';
import type { AssessedNotice } from './decide.ts';
import type { DrainProgress } from './drain/drain-node.ts';

/** The metrics about notices and drains. */
export interface InterruptionMetrics {
  polled(result: 'success' | 'partial' | 'error'): void;
  noticeAnnounced(effect: Notice['effect']): void;
  drainEnded(result: 'finished' | 'stopped'): void;
}

/** Read at each scrape. */
export interface InterruptionGauges {
  assessed(): readonly AssessedNotice[];
  /** Absent: there is no drain, or it has no deadline. */
  deadlineAtMs(): number | undefined;
  /** Absent: there is no drain. */
  progress(): DrainProgress | undefined;
}

const effects = ['ends', 'restarts', 'pauses', 'may-end'] as const satisfies readonly Notice['effect'][];

export function createInterruptionMetrics(metrics: Metrics, gauges: InterruptionGauges): InterruptionMetrics {
  const polls = metrics.counter({
    name: 'polycloud_node_agent_notice_polls_total',
    help: 'Polls of the notices; partial: not all sources could be read.',
    labels: { result: ['success', 'partial', 'error'] },
  });
  const announced = metrics.counter({
    name: 'polycloud_node_agent_notices_total',
    help: 'Notices that were seen for the first time, by what they mean for the instance.',
    labels: { effect: effects },
  });
  metrics.measured(
    {
      name: 'polycloud_node_agent_active_notices',
      help: 'Notices that hold now, by what they mean for the instance.',
      type: 'gauge',
      labels: { effect: effects },
    },
    () =>
      effects.map((effect) => [{ effect }, gauges.assessed().filter(({ notice }) => notice.effect === effect).length]),
  );
  const drains = metrics.counter({
    name: 'polycloud_node_agent_drains_total',
    help: 'Drains that ended; stopped: the reason was gone before all pods were.',
    labels: { result: ['finished', 'stopped'] },
  });
  addGauge(
    'drain_deadline_timestamp_seconds',
    'When the instance goes, in seconds since 1970; 0 if no time is known.',
    () => (gauges.deadlineAtMs() ?? 0) / 1_000,
  );
  addGauge(
    'drain_remaining_pods',
    'Pods that have to go and are still there.',
    () => gauges.progress()?.remaining ?? 0,
  );
  addGauge('drain_blocked_pods', 'Pods that a budget protects.', () => gauges.progress()?.blocked.length ?? 0);
  return {
    polled: (result) => polls.add({ result }, 1),
    noticeAnnounced: (effect) => announced.add({ effect }, 1),
    drainEnded: (result) => drains.add({ result }, 1),
  };

  function addGauge(name: string, help: string, measure: () => number): void {
    metrics.measured({ name: `polycloud_node_agent_${name}`, help, type: 'gauge', labels: {} }, () => [
      [{}, measure()],
    ]);
  }
}

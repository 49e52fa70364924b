import type { Notice } from '../../clouds/index.ts';
import type { Metrics } from '../../lib/metrics/metrics.ts';
import { interruptionMetrics as declared } from '../../schemas/metrics/agent.ts';
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

const effects = declared.notices.labels.effect;

export function createInterruptionMetrics(metrics: Metrics, gauges: InterruptionGauges): InterruptionMetrics {
  const polls = metrics.counter(declared.polls);
  const announced = metrics.counter(declared.announced);
  const drains = metrics.counter(declared.drains);
  const countNotices = (effect: Notice['effect']): number =>
    gauges.assessed().filter(({ notice }) => notice.effect === effect).length;
  metrics.measured(declared.notices, () => effects.map((effect) => [{ effect }, countNotices(effect)]));
  metrics.measured(declared.drainDeadline, () => [[{}, (gauges.deadlineAtMs() ?? 0) / 1_000]]);
  metrics.measured(declared.remainingPods, () => [[{}, gauges.progress()?.remaining ?? 0]]);
  metrics.measured(declared.blockedPods, () => [[{}, gauges.progress()?.blocked.length ?? 0]]);
  return {
    polled: (result) => polls.add({ result }, 1),
    noticeAnnounced: (effect) => announced.add({ effect }, 1),
    drainEnded: (result) => drains.add({ result }, 1),
  };
}

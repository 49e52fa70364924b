import type { Metrics } from '../../lib/metrics/metrics.ts';
import type { BrokerOutcome } from '../../schemas/broker.ts';
import type { LoginEvents } from './logins/login-cache.ts';

export interface BrokerMetrics extends LoginEvents {
  responded(outcome: BrokerOutcome): void;
  readonly counts: () => RequestCounts;
}

/** Since the start, for the status output. */
export type RequestCounts = Readonly<Record<BrokerOutcome, number>>;

export function createBrokerMetrics(metrics: Metrics, countCached: () => number): BrokerMetrics {
  const requests = metrics.counter({
    name: 'polycloud_broker_requests_total',
    help: 'Requests of the kubelet by outcome; the full program answers the declined ones.',
    labels: { outcome: ['answer', 'failure', 'decline'] },
  });
  const logins = metrics.counter({
    name: 'polycloud_broker_logins_total',
    help: 'Logins returned: from the cache, shared with another request, or requested from the cloud.',
    labels: { how: ['kept', 'shared', 'asked'] },
  });
  const refreshes = metrics.counter({
    name: 'polycloud_broker_refreshes_total',
    help: 'Refreshes of logins before they expired.',
    labels: { result: ['done', 'failed'] },
  });
  metrics.measured(
    { name: 'polycloud_broker_kept_logins', help: 'Logins in the cache.', type: 'gauge', labels: {} },
    () => [[{}, countCached()]],
  );
  const counts = { answer: 0, failure: 0, decline: 0 };
  return {
    responded: (outcome) => {
      counts[outcome] += 1;
      requests.add({ outcome }, 1);
    },
    used: (how) => logins.add({ how }, 1),
    refreshed: (result) => refreshes.add({ result }, 1),
    counts: () => ({ ...counts }),
  };
}

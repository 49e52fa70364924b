import { anyCloud, failureReasonValues } from './declaration.ts';
import type { MetricDeclarations } from './declaration.ts';

/** The metrics of the broker. */
export const brokerMetrics = {
  requests: {
    name: 'polycloud_broker_requests_total',
    type: 'counter',
    help: 'Requests of the kubelet by outcome; the full program answers the declined ones.',
    labels: { outcome: ['answer', 'failure', 'decline'] },
  },
  logins: {
    name: 'polycloud_broker_logins_total',
    type: 'counter',
    help: 'Logins returned: from the cache, shared with another request, or requested from the cloud.',
    labels: { how: ['kept', 'shared', 'asked'] },
  },
  loginFailures: {
    name: 'polycloud_broker_login_failures_total',
    type: 'counter',
    help: 'Logins that the cloud of the registry did not give, for a request or a refresh.',
    labels: { cloud: anyCloud, reason: failureReasonValues },
  },
  loginDuration: {
    name: 'polycloud_broker_login_duration_seconds',
    type: 'histogram',
    help: 'Time that a login took in the cloud, whether it succeeded or not.',
    labels: {},
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  },
  refreshes: {
    name: 'polycloud_broker_refreshes_total',
    type: 'counter',
    help: 'Refreshes of logins before they expired.',
    labels: { result: ['done', 'failed'] },
  },
  keptLogins: { name: 'polycloud_broker_kept_logins', type: 'gauge', help: 'Logins in the cache.', labels: {} },
} as const satisfies MetricDeclarations;

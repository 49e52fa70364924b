import { failureReasonOf } from '../../lib/failure-reason.ts';
import type { Metrics } from '../../lib/metrics/metrics.ts';
import type { BrokerOutcome } from '../../schemas/broker.ts';
import { brokerMetrics as declared } from '../../schemas/metrics/broker.ts';
import type { LoginAttempt } from './limited-logins.ts';
import type { LoginEvents } from './logins/login-cache.ts';

export interface BrokerMetrics extends LoginEvents {
  responded(outcome: BrokerOutcome): void;
  loginEnded(attempt: LoginAttempt): void;
  readonly counts: () => RequestCounts;
}

/** Since the start, for the status output. */
export type RequestCounts = Readonly<Record<BrokerOutcome, number>>;

export function createBrokerMetrics(metrics: Metrics, countCached: () => number): BrokerMetrics {
  const requests = metrics.counter(declared.requests);
  const logins = metrics.counter(declared.logins);
  const loginFailures = metrics.counter(declared.loginFailures);
  const loginDuration = metrics.histogram(declared.loginDuration);
  const refreshes = metrics.counter(declared.refreshes);
  metrics.measured(declared.keptLogins, () => [[{}, countCached()]]);
  const counts = { answer: 0, failure: 0, decline: 0 };
  return {
    responded: (outcome) => {
      counts[outcome] += 1;
      requests.add({ outcome }, 1);
    },
    loginEnded: ({ cloud, durationMs, error }) => {
      loginDuration.observe({}, durationMs / 1_000);
      if (error !== undefined) loginFailures.add({ cloud, reason: failureReasonOf(error) }, 1);
    },
    used: (how) => logins.add({ how }, 1),
    refreshed: (result) => refreshes.add({ result }, 1),
    counts: () => ({ ...counts }),
  };
}

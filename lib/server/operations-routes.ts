import type { Metrics } from '../metrics/metrics.ts';
import { metricsContentType } from '../metrics/metrics.ts';
import { healthAnswer } from './health.ts';
import type { HealthCheck } from './health.ts';
import type { Route, Routes } from './route.ts';

export interface OperationsPages {
  /** Failing, the process had better be started again. */
  readonly live: readonly HealthCheck[];
  /** Failing, it cannot do its work at the moment. */
  readonly ready: readonly HealthCheck[];
  readonly metrics: Metrics;
  /** For people: what it is doing, in plain text. */
  status(): string;
}

/** What every program of ours serves, under the paths that probes and scrapers know. */
export function operationsRoutes({ live, ready, metrics, status }: OperationsPages): Routes {
  return new Map([
    ['/healthz', health('healthz', live)],
    ['/livez', health('livez', live)],
    ['/readyz', health('readyz', ready)],
    [
      '/metrics',
      { isOpen: false, answer: () => ({ status: 200, text: metrics.text(), contentType: metricsContentType }) },
    ],
    ['/statusz', { isOpen: false, answer: () => ({ status: 200, text: status() }) }],
  ]);
}

function health(page: string, checks: readonly HealthCheck[]): Route {
  return { isOpen: true, answer: (query) => healthAnswer(page, checks, query) };
}

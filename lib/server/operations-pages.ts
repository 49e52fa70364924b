import type { Metrics } from '../metrics/metrics.ts';
import { metricsContentType } from '../metrics/metrics.ts';
import { healthResponse } from './health.ts';
import type { HealthCheck } from './health.ts';
import type { ServerPage, ServerPages } from './page.ts';

export interface OperationsSources {
  /** Failing, the process had better be started again. */
  readonly live: readonly HealthCheck[];
  /** Failing, it cannot do its work at the moment. */
  readonly ready: readonly HealthCheck[];
  readonly metrics: Metrics;
  /** For people: what it is doing, in plain text. */
  status(): string;
}

/** What every program of ours serves, under the paths that probes and scrapers know. */
export function operationsPages({ live, ready, metrics, status }: OperationsSources): ServerPages {
  return new Map([
    ['/healthz', healthPage('healthz', live)],
    ['/livez', healthPage('livez', live)],
    ['/readyz', healthPage('readyz', ready)],
    [
      '/metrics',
      { isPublic: false, respond: () => ({ status: 200, text: metrics.text(), contentType: metricsContentType }) },
    ],
    ['/statusz', { isPublic: false, respond: () => ({ status: 200, text: status() }) }],
  ]);
}

function healthPage(page: string, checks: readonly HealthCheck[]): ServerPage {
  return { isPublic: true, respond: (query) => healthResponse(page, checks, query) };
}

import type { Metrics } from '../metrics/metrics.ts';
import { metricsContentType } from '../metrics/metrics.ts';
import { healthResponse } from './health.ts';
import type { HealthCheck } from './health.ts';
import type { ServerPage, ServerPages } from './page.ts';

export interface OperationsSources {
  /** If one fails, the process should be restarted. */
  readonly live: readonly HealthCheck[];
  /** If one fails, the process cannot work at the moment. */
  readonly ready: readonly HealthCheck[];
  readonly metrics: Metrics;
  /** The current state in plain text, for people. */
  status(): string;
}

/** The pages of every daemon, at the usual paths for probes and scrapers. */
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

import { daemonMetrics } from '../../schemas/metrics/daemon.ts';
import type { ApiRequestObserver } from '../kubernetes/transport.ts';
import type { Metrics } from './metrics.ts';

/** Counts requests to the API server as client-go does, under its names. */
export function addApiRequestMetrics(metrics: Metrics): ApiRequestObserver {
  const requests = metrics.counter(daemonMetrics.apiRequests);
  const duration = metrics.histogram(daemonMetrics.apiRequestDuration);
  return ({ method, status, durationMs }) => {
    requests.add({ code: status === undefined ? '<error>' : String(status), method }, 1);
    if (durationMs !== undefined) duration.observe({ verb: method }, durationMs / 1_000);
  };
}

import type { Clock } from '../lib/clock.ts';
import { realHost } from '../lib/host.ts';
import type { KubernetesClient } from '../lib/kubernetes/client.ts';
import { failureFields } from '../lib/log/failure-fields.ts';
import type { Log } from '../lib/log/log.ts';
import type { Metrics } from '../lib/metrics/metrics.ts';
import { delegatedAccess } from '../lib/server/access/request-access.ts';
import { kubernetesReviews } from '../lib/server/access/reviews.ts';
import { certificateSource } from '../lib/server/certificate/certificate-source.ts';
import { operationsPages } from '../lib/server/operations-pages.ts';
import { startServer } from '../lib/server/server.ts';
import type { RunningServer } from '../lib/server/server.ts';
import type { ServingSettings } from '../lib/server/settings.ts';
import type { HealthChecks } from './health.ts';

export interface AgentServerDeps {
  readonly serving: ServingSettings;
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly checks: HealthChecks;
  readonly metrics: Metrics;
  status(): string;
}

/** As in the kubelet. With an agent on every node, not every scrape may become requests to the API server. */
const reviewCacheMs = 120_000;

const retryPauseMs = 10_000;

/** Returns a function that stops the server. Retries while the port is in use; the Node sync does not wait for it. */
export async function startOperationsServer(deps: AgentServerDeps, signal: AbortSignal): Promise<() => Promise<void>> {
  let lastError = '';
  while (!signal.aborted) {
    try {
      const server = await start(deps);
      return () => server.close();
    } catch (error) {
      const failure = failureFields(error);
      if (failure.err !== lastError) deps.log.error('Health and metrics are not served', failure);
      lastError = failure.err;
      // Rejects when the signal is aborted. The condition of the loop handles that.
      await deps.clock.sleep(retryPauseMs, signal).catch(() => undefined);
    }
  }
  return () => Promise.resolve();
}

/** Accepts tokens only: watching the authorities of client certificates would be most of an idle agent's requests. */
function start({ serving, client, clock, log, checks, metrics, status }: AgentServerDeps): Promise<RunningServer> {
  return startServer({
    port: serving.port,
    ...(serving.address !== undefined && { address: serving.address }),
    tls: serving.tls,
    certificate: certificateSource(serving.certificate, { clock, readText: realHost.readText }),
    clientAuthorities: () => Promise.resolve(''),
    access: delegatedAccess(kubernetesReviews(client, client), reviewCacheMs, clock),
    pages: operationsPages({ ...checks, metrics, status }),
    clock,
    log,
  });
}

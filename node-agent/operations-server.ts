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

/** As the kubelet keeps them: with an agent on every node, each scrape must not become requests to the API server. */
const reviewCacheMs = 120_000;

const retryPauseMs = 10_000;

/** Gives what ends it. A port that somebody else has is waited for: the Node must not wait for it too. */
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
      // Rejects when the signal ends it, which the loop sees by itself.
      await deps.clock.sleep(retryPauseMs, signal).catch(() => undefined);
    }
  }
  return () => Promise.resolve();
}

/** Tokens only: to keep the authorities of client certificates fresh would be most of what an idle agent asks. */
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

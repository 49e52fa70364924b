import { systemClock } from '../lib/clock.ts';
import { realHost } from '../lib/host.ts';
import { delegatedAccess } from '../lib/server/access/request-access.ts';
import { clusterClientAuthorities } from '../lib/server/access/client-authorities.ts';
import { kubernetesReviews } from '../lib/server/access/reviews.ts';
import { certificateSource } from '../lib/server/certificate/certificate-source.ts';
import type { HealthCheck } from '../lib/server/health.ts';
import { operationsPages } from '../lib/server/operations-pages.ts';
import { startServer } from '../lib/server/server.ts';
import type { RunningServer, ServerParts } from '../lib/server/server.ts';
import type { ServingSettings } from '../lib/server/settings.ts';
import type { Election } from './leader-election.ts';
import type { RunningNodeController } from './node-controller.ts';
import type { ControllerRuntime } from './runtime.ts';
import { statusText } from './status.ts';
import { waitForPort } from './wait-for-port.ts';

/** As upstream. */
const reviewCacheMs = 10_000;

export interface OperationsServerParts {
  readonly serving: ServingSettings;
  readonly runtime: ControllerRuntime;
  readonly running: RunningNodeController;
  /** Absent: this process leads without an election. */
  readonly election: Election | undefined;
  readonly dryRun: boolean;
}

/** Followers serve too: a probe must not kill the replica that would take over. `undefined`: there is no server. */
export async function startOperationsServer(
  parts: OperationsServerParts,
  signal: AbortSignal,
): Promise<RunningServer | undefined> {
  const { port } = parts.serving;
  if (port === 0) return undefined;
  const server = serverParts(parts);
  return waitForPort(() => startServer(server), { port, clock: systemClock, log: parts.runtime.log, signal });
}

function serverParts({ serving, runtime, running, election, dryRun }: OperationsServerParts): ServerParts {
  const { authentication, authorization } = runtime.delegatedClients;
  return {
    port: serving.port,
    ...(serving.address !== undefined && { address: serving.address }),
    tls: serving.tls,
    certificate: certificateSource(serving.certificate, { clock: systemClock, readText: realHost.readText }),
    clientAuthorities: clusterClientAuthorities(authentication, systemClock),
    access: delegatedAccess(kubernetesReviews(authentication, authorization), reviewCacheMs, systemClock),
    pages: operationsPages({
      live: election === undefined ? [] : [electionCheck(election)],
      ready: [watchCheck(running)],
      metrics: runtime.metrics,
      status: () => `${dryRun ? dryRunLine : ''}${statusText(running.controller, election?.status(), running.routes)}`,
    }),
    clock: systemClock,
    log: runtime.log,
  };
}

const dryRunLine = 'dry run: nothing is written, and no Lease is taken\n';

/** As in upstream: the time beyond the lease after which an elector counts as dead. */
const maxSilenceMs = 60_000;

function electionCheck(election: Election): HealthCheck {
  return {
    name: 'leaderElection',
    problem: () => (election.status().quietMs > maxSilenceMs ? 'leader election stands still' : undefined),
  };
}

function watchCheck({ watch }: RunningNodeController): HealthCheck {
  return { name: 'nodes-listed', problem: () => (watch.isSynced() ? undefined : 'Nodes were never listed') };
}

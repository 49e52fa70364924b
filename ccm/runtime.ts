import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { clouds } from '../clouds/index.ts';
import type { Context } from '../lib/context.ts';
import { loadConfig } from '../lib/config/load-config.ts';
import { realHost } from '../lib/host.ts';
import { configuredHttp } from '../lib/http/configured-http.ts';
import { createHttp } from '../lib/http/create-http.ts';
import { addApiRequestMetrics } from '../lib/metrics/api-request-metrics.ts';
import { createMetrics } from '../lib/metrics/metrics.ts';
import type { Metrics } from '../lib/metrics/metrics.ts';
import { addProcessMetrics } from '../lib/metrics/process-metrics.ts';
import type { KubernetesClient } from '../lib/kubernetes/client.ts';
import { openClient } from '../lib/kubernetes/open-client.ts';
import { limitedContext } from '../lib/limited-context.ts';
import type { Log } from '../lib/log/log.ts';
import type { Config } from '../schemas/config.ts';
import { openDelegatedClients } from './delegated-clients.ts';
import type { DelegatedClients } from './delegated-clients.ts';
import { enableClouds } from './enabled-clouds.ts';
import type { EnabledCloud } from './node-controller/ownership.ts';
import type { ControllerFlags } from './options.ts';

/** What the controller and `explain` both need. */
export interface ControllerRuntime {
  readonly identity: string;
  readonly client: KubernetesClient;
  readonly delegatedClients: DelegatedClients;
  readonly clouds: readonly EnabledCloud[];
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  contextFor(signal: AbortSignal): Context;
}

const program = 'polycloud-ccm';

/** A look-up that takes longer is given up and retried. */
const lookupTimeoutMs = 30_000;

/** Reads the configuration first: a mistake in it is reported even if there is no cluster yet. */
export async function openRuntime(
  flags: ControllerFlags,
  env: NodeJS.ProcessEnv,
  log: Log,
): Promise<ControllerRuntime> {
  const config = await loadConfig(flags.configFile, realHost, clouds);
  const enabled = await enableClouds(flags.cloudNames, { env, host: realHost }, config);
  const metrics = createMetrics();
  addProcessMetrics(program, metrics);
  const access = { program, env, observe: addApiRequestMetrics(metrics) };
  const client = await openClient({ ...access, kubeconfig: flags.kubeconfig }, realHost);
  const http = await configuredHttp(config.caFile, { env, host: realHost, openHttp: createHttp });
  return {
    identity: `${hostname()}_${randomUUID()}`,
    client,
    delegatedClients: await openDelegatedClients(flags, client, access),
    clouds: enabled,
    config,
    log,
    metrics,
    contextFor: (signal) => limitedContext({ http, log, timeoutMs: lookupTimeoutMs }, signal),
  };
}

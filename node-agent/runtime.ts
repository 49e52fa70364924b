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
import { chooseCandidates } from './candidates.ts';
import { detectCloud, namedCloud } from './detect.ts';
import type { NodeCloud } from './detect.ts';
import type { AgentFlags } from './options.ts';

/** What the agent uses from outside: the API server, its configuration, the cloud. */
export interface AgentRuntime {
  readonly client: KubernetesClient;
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  /** The clouds that this machine may run on. */
  readonly cloudNames: readonly string[];
  findCloud(context: Context): Promise<NodeCloud>;
  contextFor(signal: AbortSignal): Context;
}

const program = 'polycloud-node-agent';

/** Time limit of one sync, which reads many metadata paths one after the other. */
const longestSyncMs = 45_000;

/** Reads the configuration first: a mistake in it is reported even if there is no cluster yet. */
export async function openRuntime(flags: AgentFlags, env: NodeJS.ProcessEnv, log: Log): Promise<AgentRuntime> {
  const config = await loadConfig(flags.configFile, realHost, clouds);
  const http = await configuredHttp(config.caFile, { env, host: realHost, openHttp: createHttp });
  const { named, possible } = chooseCandidates(flags, { env, host: realHost }, config);
  const metrics = createMetrics();
  addProcessMetrics(program, metrics);
  const access = { program, env, observe: addApiRequestMetrics(metrics) };
  const client = await openClient({ ...access, kubeconfig: flags.kubeconfig }, realHost);
  return {
    client,
    config,
    log,
    metrics,
    cloudNames: (named === undefined ? possible : [named]).map(({ name }) => name),
    findCloud: (context) => (named === undefined ? detectCloud(possible, context) : namedCloud(named)),
    contextFor: (signal) => limitedContext({ http, log, timeoutMs: longestSyncMs }, signal),
  };
}

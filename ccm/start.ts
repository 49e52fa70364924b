import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Context } from '../clouds/index.ts';
import { systemClock } from '../lib/clock.ts';
import { loadConfig } from '../lib/config/load-config.ts';
import { Failure } from '../lib/failure.ts';
import { realHost } from '../lib/host.ts';
import { createHttp } from '../lib/http/node-http.ts';
import { ownAuthorities } from '../lib/http/own-authorities.ts';
import { readProxyVariables } from '../lib/http/proxy.ts';
import { trustedCertificates } from '../lib/http/trust.ts';
import type { Http } from '../lib/http/http.ts';
import { inClusterAccess, serviceAccountDirectory } from '../lib/kubernetes/access/in-cluster.ts';
import { kubeconfigAccess } from '../lib/kubernetes/access/kubeconfig-access.ts';
import { connect } from '../lib/kubernetes/client.ts';
import type { KubernetesClient } from '../lib/kubernetes/client.ts';
import { usualLimits } from '../lib/kubernetes/exchange.ts';
import type { Log } from '../lib/log.ts';
import { version } from '../lib/version.ts';
import type { Config } from '../schemas/config.ts';
import { enableClouds } from './enabled-clouds.ts';
import type { EnabledCloud } from './node/ownership.ts';
import type { ControllerFlags } from './options.ts';

/** What the controller and `explain` both stand on. */
export interface Ground {
  readonly identity: string;
  readonly client: KubernetesClient;
  readonly clouds: readonly EnabledCloud[];
  readonly config: Config;
  readonly log: Log;
  contextFor(signal: AbortSignal): Context;
}

/** An answer that takes longer is given up; what it was about is asked for again. */
const longestLookMs = 30_000;

export async function prepareGround(flags: ControllerFlags, env: NodeJS.ProcessEnv, log: Log): Promise<Ground> {
  await requireKubeconfig(flags.kubeconfig);
  const config = await loadConfig(flags.configFile, realHost);
  const clouds = await enableClouds(flags.cloudNames, { env, host: realHost }, config);
  const http = await openHttp(config, env);
  return {
    identity: `${hostname()}_${randomUUID()}`,
    client: connectTo(flags.kubeconfig, env),
    clouds,
    config,
    log,
    contextFor: (signal) => contextFor(signal, http, log),
  };
}

/** Later the file may come and go while it is written anew; at the start its absence is a mistake of the command line. */
async function requireKubeconfig(path: string | undefined): Promise<void> {
  if (path === undefined || (await realHost.readText(path)) !== undefined) return;
  throw new Failure('misconfigured', `--kubeconfig names ${path}, which does not exist`, {
    remedy: 'give the right file, or leave it out inside a cluster',
  });
}

function connectTo(kubeconfig: string | undefined, env: NodeJS.ProcessEnv): KubernetesClient {
  const access =
    kubeconfig === undefined
      ? inClusterAccess(env, serviceAccountDirectory)
      : kubeconfigAccess(kubeconfig, { env, clock: systemClock });
  const userAgent = `polycloud-ccm/${version}`;
  return connect({ access, userAgent, limits: usualLimits, clock: systemClock, random: Math.random });
}

async function openHttp(config: Config, env: NodeJS.ProcessEnv): Promise<Http> {
  const authorities = await ownAuthorities(config.caFile, env, realHost);
  return createHttp({
    proxies: readProxyVariables(env),
    allAuthorities: () => trustedCertificates(env),
    ...(authorities !== undefined && { authorities }),
  });
}

function contextFor(signal: AbortSignal, http: Http, log: Log): Context {
  return {
    signal: AbortSignal.any([signal, AbortSignal.timeout(longestLookMs)]),
    deadlineAtMs: systemClock.monotonicMs() + longestLookMs,
    http,
    clock: systemClock,
    log,
    random: Math.random,
  };
}

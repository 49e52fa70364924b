import { systemClock } from '../clock.ts';
import { Failure } from '../failure.ts';
import type { Host } from '../host.ts';
import type { TimeLimits } from '../http/limits.ts';
import { version } from '../command-line/version.ts';
import { inClusterAccess, serviceAccountDirectory } from './access/in-cluster.ts';
import { kubeconfigAccess } from './access/kubeconfig-access.ts';
import { createClient } from './client.ts';
import type { KubernetesClient } from './client.ts';
import type { ApiRequestObserver } from './transport.ts';

export interface ApiClientOptions {
  /** The name in the User-Agent, without a version. */
  readonly program: string;
  /** Absent: the pod's service account. */
  readonly kubeconfig: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly observe?: ApiRequestObserver;
}

/** A watch must start within the total. */
export const defaultLimits: TimeLimits = { connectMs: 10_000, totalMs: 30_000 };

/** While the program runs, the file may be missing for a moment. At the start, a missing file is a wrong flag. */
export async function openClient(options: ApiClientOptions, host: Pick<Host, 'readText'>): Promise<KubernetesClient> {
  const { program, kubeconfig, env, observe } = options;
  if (kubeconfig !== undefined && (await host.readText(kubeconfig)) === undefined) {
    throw new Failure('misconfigured', `--kubeconfig names ${kubeconfig}, which does not exist`, {
      remedy: 'give the right file, or leave it out inside a cluster',
    });
  }
  const access =
    kubeconfig === undefined
      ? inClusterAccess(env, serviceAccountDirectory)
      : kubeconfigAccess(kubeconfig, { env, clock: systemClock });
  const userAgent = `${program}/${version}`;
  const settings = { access, userAgent, limits: defaultLimits, clock: systemClock, random: Math.random };
  return createClient({ ...settings, ...(observe && { observe }) });
}

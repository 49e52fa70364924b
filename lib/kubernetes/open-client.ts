import { systemClock } from '../clock.ts';
import { Failure } from '../failure.ts';
import type { Host } from '../host.ts';
import type { TimeLimits } from '../http/limits.ts';
import { version } from '../command-line/version.ts';
import { inClusterAccess, serviceAccountDirectory } from './access/in-cluster.ts';
import { kubeconfigAccess } from './access/kubeconfig-access.ts';
import { createClient } from './client.ts';
import type { KubernetesClient } from './client.ts';

export interface ApiClientOptions {
  /** As the API server names it in its logs, without a version. */
  readonly program: string;
  /** Absent: the pod's service account. */
  readonly kubeconfig: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** A watch has to begin within the total. */
export const defaultLimits: TimeLimits = { connectMs: 10_000, totalMs: 30_000 };

/** Later the file may come and go while it is written anew; at the start its absence is a mistake of the command line. */
export async function openClient(options: ApiClientOptions, host: Pick<Host, 'readText'>): Promise<KubernetesClient> {
  const { program, kubeconfig, env } = options;
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
  return createClient({ access, userAgent, limits: defaultLimits, clock: systemClock, random: Math.random });
}

import { realHost } from '../lib/host.ts';
import type { KubernetesClient } from '../lib/kubernetes/client.ts';
import { openClient } from '../lib/kubernetes/open-client.ts';
import type { ApiClientOptions } from '../lib/kubernetes/open-client.ts';
import { Failure } from '../lib/failure.ts';
import type { ControllerFlags } from './options.ts';

/** The API servers that authenticate and authorize readers of pages. */
export interface DelegatedClients {
  readonly authentication: KubernetesClient;
  readonly authorization: KubernetesClient;
  close(): void;
}

type DelegatedFlags = Pick<ControllerFlags, 'authenticationKubeconfig' | 'authorizationKubeconfig'>;

/** Both are the API server of the Nodes, unless the flags name others. */
export async function openDelegatedClients(
  { authenticationKubeconfig, authorizationKubeconfig }: DelegatedFlags,
  defaultClient: KubernetesClient,
  access: Omit<ApiClientOptions, 'kubeconfig'>,
): Promise<DelegatedClients> {
  const opened: KubernetesClient[] = [];
  const open = async (flag: string, kubeconfig: string | undefined): Promise<KubernetesClient> => {
    if (kubeconfig === undefined) return defaultClient;
    await requireFile(flag, kubeconfig);
    const client = await openClient({ ...access, kubeconfig }, realHost);
    opened.push(client);
    return client;
  };
  return {
    authentication: await open('--authentication-kubeconfig', authenticationKubeconfig),
    authorization: await open('--authorization-kubeconfig', authorizationKubeconfig),
    close: () => {
      for (const client of opened) client.close();
    },
  };
}

async function requireFile(flag: string, path: string): Promise<void> {
  if ((await realHost.readText(path)) !== undefined) return;
  throw new Failure('misconfigured', `${flag} names ${path}, which does not exist`, {
    remedy: 'give the right file, or leave it out: then the API server of the Nodes is asked',
  });
}

import type { Clock } from '../../clock.ts';
import type { KubernetesClient } from '../../kubernetes/client.ts';
import { configMaps } from '../../kubernetes/resources.ts';

/** The authorities of client certificates, as PEM. Empty: none. Throws when they cannot be read. */
export type ClientAuthorities = (signal: AbortSignal) => Promise<string>;

const configMapRef = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };
const keptMs = 60_000;

/** The authority of the cluster's client certificates, as the API server publishes it. */
export function clusterClientAuthorities(client: Pick<KubernetesClient, 'get'>, clock: Clock): ClientAuthorities {
  let cached: string | undefined;
  let readAtMs = 0;
  return async (signal) => {
    if (cached !== undefined && clock.monotonicMs() < readAtMs + keptMs) return cached;
    const { data } = await client.get(configMaps, configMapRef, signal);
    cached = data?.['client-ca-file'] ?? '';
    readAtMs = clock.monotonicMs();
    return cached;
  };
}

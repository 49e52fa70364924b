import { Failure } from '../../failure.ts';
import { Secret } from '../../secret.ts';
import { sameTarget } from './cluster-access.ts';
import type { ClusterAccess, ApiServerTarget } from './cluster-access.ts';
import { freshFile } from './fresh-file.ts';

export const serviceAccountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The pod's service account. The kubelet replaces the token long before it expires, and the authorities when they change. */
export function inClusterAccess(env: Readonly<Record<string, string | undefined>>, directory: string): ClusterAccess {
  const server = serverAddress(env['KUBERNETES_SERVICE_HOST'], env['KUBERNETES_SERVICE_PORT']);
  const token = freshFile(`${directory}/token`);
  const authorities = freshFile(`${directory}/ca.crt`);
  let last: ApiServerTarget | undefined;
  return {
    current: () => {
      const next = { server, authorities: authorities.read(), token: new Secret(token.read().trim()) };
      last = last !== undefined && sameTarget(last, next) ? last : next;
      return last;
    },
    invalidate: () => {},
  };
}

function serverAddress(host: string | undefined, port: string | undefined): URL {
  const name = host?.includes(':') === true ? `[${host}]` : host;
  const address = `https://${name}:${port}`;
  if (host && port && URL.canParse(address)) return new URL(address);
  throw new Failure('misconfigured', 'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT name no API server', {
    remedy: 'run this program in a pod, or name a kubeconfig with --kubeconfig',
  });
}

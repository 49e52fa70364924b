import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { CallApi } from './api.ts';
import { etcdSocket } from './parts.ts';

/** Besides `/readyz`: the objects exist that the API server creates itself in a new cluster. */
const madeAtStart = [
  '/readyz',
  '/api/v1/namespaces/default',
  '/api/v1/namespaces/kube-node-lease',
  '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
];

export async function isApiReady(ask: CallApi): Promise<boolean> {
  for (const path of madeAtStart) {
    if (!(await isOk(ask, path))) return false;
  }
  return true;
}

export function isHealthy(ask: CallApi): Promise<boolean> {
  return isOk(ask, '/healthz');
}

function isOk(ask: CallApi, path: string): Promise<boolean> {
  return ask('GET', path).then(
    ({ status }) => status === 200,
    () => false,
  );
}

const timeoutMs = 2_000;

export async function isEtcdReady(directory: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const asked = request({ socketPath: etcdSocket(directory), path: '/health', agent: false, signal }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode === 200;
  } catch {
    return false;
  }
}

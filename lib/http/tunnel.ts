import type { Socket } from 'node:net';
import { classifyNetworkError } from './classify-error.ts';
import { NetworkError } from './network-error.ts';

/** Asks a proxy for a tunnel to the target. Resolves when the tunnel is open. */
export async function openTunnel(socket: Socket, url: URL, proxy: URL): Promise<void> {
  const { promise: opened, resolve, reject } = Promise.withResolvers<undefined>();
  const target = `${url.hostname}:${url.port || '443'}`;
  const request = process.getBuiltinModule('node:http').request({
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...proxyAuthorization(proxy) },
    setDefaultHeaders: false,
    maxHeaderSize: 16_384,
    insecureHTTPParser: false,
    createConnection: () => socket,
  });
  request.on('connect', ({ statusCode = 0 }, _socket, head) => {
    if (statusCode < 200 || statusCode > 299) reject(new NetworkError('proxy', `HTTP ${statusCode}`));
    // The server behind the proxy does not send first.
    else if (head.length > 0) reject(new NetworkError('proxy', 'it said more than it was asked'));
    else resolve(undefined);
  });
  request.on('error', (error) => reject(asProxyError(error)));
  request.end();
  await opened;
}

function asProxyError(error: unknown): NetworkError {
  const { reason, message } = classifyNetworkError(error);
  if (reason === 'reset') return new NetworkError('proxy', 'it closed the connection');
  return new NetworkError('proxy', reason === 'not-http' ? `its answer is not HTTP, ${message}` : message);
}

/** With the user name and password of the proxy's URL. */
export function proxyAuthorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const login = `${decodeUserInfo(username)}:${decodeUserInfo(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

function decodeUserInfo(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new NetworkError('proxy', 'a percent sign in its user name or password encodes nothing');
  }
}

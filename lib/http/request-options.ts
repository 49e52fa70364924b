import type { RequestOptions } from 'node:http';
import type { HttpTarget } from './open-socket.ts';
import { proxyAuthorization } from './tunnel.ts';

export interface RequestHead {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

/** With TLS a proxy only opens a tunnel. Without TLS it gets the request, with the absolute URL. */
export function requestOptions(head: RequestHead, { url, proxy }: HttpTarget): RequestOptions {
  const { method, path, body } = head;
  const isForProxy = proxy !== undefined && url.protocol === 'http:';
  return {
    method,
    path: isForProxy ? `${url.protocol}//${url.host}${path}` : path,
    headers: {
      host: url.host,
      ...callerHeaders(head.headers),
      ...(isForProxy && proxyAuthorization(proxy)),
      connection: 'keep-alive',
      ...((method !== 'GET' || body !== undefined) && { 'content-length': String(Buffer.byteLength(body ?? '')) }),
    },
  };
}

/** The client sets where the body ends, not the caller. */
const bodyHeaderNames = ['content-length', 'transfer-encoding', 'trailer'];

/** In lower case. */
function callerHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const all = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(all.filter(([name]) => !bodyHeaderNames.includes(name)));
}

import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { classifyNetworkError } from './classify-error.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { NetworkError } from './network-error.ts';

export interface Route {
  readonly agent: Agent;
  /** PEM certificates to trust instead of what OpenSSL finds. */
  readonly authorities?: readonly string[];
}

/** Hardly anybody we ask has more to say; whoever sends more is somebody else. */
const usualBodyBytes = 1_000_000;

/** One request and its whole answer, or a `NetworkError`, within the limits. */
export async function exchange(request: HttpRequest, route: Route, signal: AbortSignal): Promise<HttpResponse> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const outgoing = open(request, route);
  let inBody = false;
  outgoing.on('error', (error) => reject(inBody ? duringBody(error) : classifyNetworkError(error)));
  outgoing.on('response', (incoming) => {
    inBody = true;
    collect(incoming, outgoing, request.limits.bodyBytes).then(resolve, reject);
  });
  const stopWatching = watch(outgoing, { request, signal, giveUp });
  outgoing.end(request.body);
  return promise.finally(stopWatching);

  /** Rejects by itself: a request that waits for a proxy to connect says nothing when it is destroyed. */
  function giveUp(reason: Error): void {
    reject(reason);
    outgoing.destroy();
  }
}

function open(request: HttpRequest, { agent, authorities }: Route): ClientRequest {
  const { url, method, headers } = request;
  const options: RequestOptions = { method, headers, agent };
  try {
    if (url.protocol !== 'https:') return process.getBuiltinModule('node:http').request(url, options);
    return process.getBuiltinModule('node:https').request(url, { ...options, ...tlsOptions(authorities) });
  } catch (error) {
    throw classifyNetworkError(error);
  }
}

/** Of every connection, whoever opens it. */
export function tlsOptions(authorities: readonly string[] | undefined): Pick<ConnectionOptions, 'ca' | 'minVersion'> {
  return { ...(authorities !== undefined && { ca: [...authorities] }), minVersion: 'TLSv1.2' };
}

interface Watch {
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
  giveUp(reason: Error): void;
}

/** Both limits and the caller's signal end the request; the function given back ends the watching. */
function watch(outgoing: ClientRequest, { request, signal, giveUp }: Watch): () => void {
  const { connectMs, totalMs } = request.limits;
  const connectTimer = setTimeout(() => giveUp(timedOut('connect-timeout', connectMs)), connectMs);
  const totalTimer = setTimeout(() => giveUp(timedOut('timeout', totalMs)), totalMs);
  const abort = (): void => giveUp(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  outgoing.on('socket', (socket) => {
    const connected = (): void => clearTimeout(connectTimer);
    if (isConnected(socket)) connected();
    else socket.once(request.url.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
  });
  return () => {
    clearTimeout(connectTimer);
    clearTimeout(totalTimer);
    signal.removeEventListener('abort', abort);
  };
}

/** A socket that was used before, or that a proxy's tunnel handed over, has its handshake behind it. */
function isConnected(socket: Socket): boolean {
  return !socket.connecting && !('secureConnecting' in socket && socket.secureConnecting === true);
}

function timedOut(reason: 'connect-timeout' | 'timeout', limitMs: number): NetworkError {
  return new NetworkError(reason, `${limitMs / 1000} s`);
}

function collect(
  incoming: IncomingMessage,
  outgoing: ClientRequest,
  ownLimitBytes: number | undefined,
): Promise<HttpResponse> {
  const limitBytes = ownLimitBytes ?? usualBodyBytes;
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let lengthBytes = 0;
    incoming.on('data', (part: Buffer) => {
      lengthBytes += part.length;
      parts.push(part);
      if (lengthBytes > limitBytes) outgoing.destroy(tooLarge(ownLimitBytes));
    });
    incoming.on('end', () => {
      resolve({ status: incoming.statusCode ?? 0, headers: flatten(incoming), body: Buffer.concat(parts) });
    });
    incoming.on('error', (error) => reject(duringBody(error)));
  });
}

function tooLarge(ownLimitBytes: number | undefined): NetworkError {
  return new NetworkError(
    'too-large',
    ownLimitBytes === undefined ? '' : `the limit is ${ownLimitBytes / 1e6} MB here`,
  );
}

/** Once headers are here, a lost connection means half an answer. */
function duringBody(error: Error): NetworkError {
  const classified = classifyNetworkError(error);
  return classified.reason === 'reset' ? new NetworkError('cut-off', classified.message, error) : classified;
}

function flatten(incoming: IncomingMessage): Record<string, string> {
  const entries = Object.entries(incoming.headersDistinct);
  return Object.fromEntries(entries.map(([name, values]) => [name, (values ?? []).join(', ')]));
}

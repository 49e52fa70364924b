import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { Server, ServerOptions } from 'node:https';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import { failureFields } from '../log/failure-fields.ts';
import type { Log } from '../log/log.ts';
import type { RequestAccess } from './access/request-access.ts';
import type { ClientAuthorities } from './access/client-authorities.ts';
import type { CertificateSource } from './certificate/certificate-source.ts';
import type { KeyPair } from './certificate/self-signed.ts';
import { limitConnections } from './limit-connections.ts';
import type { ConnectionLimits, ServerConnections } from './limit-connections.ts';
import { respond } from './respond.ts';
import type { ServerPages } from './page.ts';
import type { TlsPolicy } from './tls-policy.ts';

export interface ServerParts {
  readonly port: number;
  /** Absent: every address. */
  readonly address?: string;
  readonly tls: TlsPolicy;
  readonly certificate: CertificateSource;
  readonly clientAuthorities: ClientAuthorities;
  readonly access: RequestAccess;
  readonly pages: ServerPages;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RunningServer {
  readonly port: number;
  close(): Promise<void>;
}

const httpLimits = { maxHeaderSize: 32_768, keepAliveTimeout: 60_000 } as const satisfies ServerOptions;
/** Of 1,000 connections that stop in their handshakes, the last one waits 1 s. */
const connectionLimits: ConnectionLimits = {
  maxSilent: 2_000,
  maxHandshaking: 100,
  maxEstablished: 100,
  minHandshakeMs: 100,
  firstRequestTimeoutMs: 3_000,
};
/** Connections that the kernel queues until they are accepted. The kernel has its own limit too. */
const backlog = 4_096;
const longestSilenceMs = 60_000;
const refreshEveryMs = 10_000;
const longestRefreshMs = 5_000;
const closeTimeoutMs = 1_000;

/** Rejects when the certificate cannot be used or the port is in use. */
export async function startServer(parts: ServerParts): Promise<RunningServer> {
  const closing = new AbortController();
  const initial = await readMaterial(parts, undefined, closing.signal);
  const server = createServer({
    ...httpLimits,
    ...secureContextOptions(parts.tls, initial),
    requestCert: true,
    rejectUnauthorized: false,
  });
  const responder = { ...parts, signal: closing.signal };
  server.on('request', (request, response) => {
    respond(responder, request, response).catch(() => response.destroy());
  });
  server.on('clientError', rejectBadRequest);
  server.setTimeout(longestSilenceMs, (socket) => socket.destroy());
  const connections = limitConnections(server, connectionLimits);
  const port = await listen(connections.listener, parts);
  const refreshing = keepRefreshing({ server, connections }, parts, { known: initial, signal: closing.signal });
  return {
    port,
    close: async () => {
      closing.abort(new Error('the server closes'));
      await Promise.all([closeServer(connections), refreshing]);
    },
  };
}

/** The server's certificate, and the trusted authorities of client certificates. */
interface TlsMaterial extends KeyPair {
  readonly authorities: string;
}

async function readMaterial(
  parts: ServerParts,
  known: TlsMaterial | undefined,
  signal: AbortSignal,
): Promise<TlsMaterial> {
  const { key, cert } = await parts.certificate();
  if (key !== known?.key || cert !== known.cert) checkPair({ key, cert });
  const limited = AbortSignal.any([signal, AbortSignal.timeout(longestRefreshMs)]);
  const authorities = await parts.clientAuthorities(limited).catch((error: unknown) => {
    parts.log.debug('The authorities of client certificates are not known', failureFields(error));
    return known?.authorities ?? '';
  });
  return { key, cert, authorities };
}

function checkPair({ key, cert }: KeyPair): void {
  try {
    if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return;
  } catch (cause) {
    throw new Failure('misconfigured', 'certificate or key cannot be read', { remedy: 'check both files', cause });
  }
  throw new Failure('misconfigured', 'certificate and key do not belong together', { remedy: 'check both files' });
}

/** Without session tickets: a resumed session would accept a client certificate whose authority is gone. */
function secureContextOptions(
  { minVersion, ciphers }: TlsPolicy,
  { key, cert, authorities }: TlsMaterial,
): SecureContextOptions {
  // An empty list trusts no authority. Without a list, every certificate of a public authority would be accepted.
  const ca = authorities === '' ? [] : [authorities];
  const secureOptions = constants.SSL_OP_NO_TICKET;
  return { key, cert, ca, minVersion, secureOptions, ...(ciphers !== undefined && { ciphers }) };
}

/** Node.js itself would close the connection before its response has been sent. */
function rejectBadRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  if (!socket.writable) return void socket.destroy();
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`, () => socket.destroy());
}

async function listen(listener: TcpServer, { port, address }: ServerParts): Promise<number> {
  listener.listen({ port, backlog, ...(address !== undefined && { host: address }) });
  try {
    await once(listener, 'listening');
  } catch (cause) {
    const remedy = 'stop what has it, or give another --secure-port';
    throw new Failure('misconfigured', `port ${port} cannot be listened on`, { remedy, cause });
  }
  return (listener.address() as AddressInfo).port;
}

interface ServerHandle {
  readonly server: Server;
  readonly connections: ServerConnections;
}

interface RefreshState {
  readonly known: TlsMaterial;
  readonly signal: AbortSignal;
}

async function keepRefreshing(
  handle: ServerHandle,
  parts: ServerParts,
  { known, signal }: RefreshState,
): Promise<void> {
  let current = known;
  let loggedError = '';
  while (await waitForRefresh(parts.clock, signal)) {
    try {
      current = applyMaterial(handle, parts, { current, next: await readMaterial(parts, current, signal) });
      loggedError = '';
    } catch (error) {
      const failure = failureFields(error);
      if (failure.err !== loggedError) parts.log.error('The server keeps the certificate it has', failure);
      loggedError = failure.err;
    }
  }
}

function waitForRefresh(clock: Clock, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(refreshEveryMs, signal).then(
    () => true,
    () => false,
  );
}

function applyMaterial(
  { server, connections }: ServerHandle,
  { tls }: ServerParts,
  { current, next }: Readonly<Record<'current' | 'next', TlsMaterial>>,
): TlsMaterial {
  const isSame = next.key === current.key && next.cert === current.cert && next.authorities === current.authorities;
  if (isSame) return current;
  server.setSecureContext(secureContextOptions(tls, next));
  // Clients that connected under former authorities have to authenticate again.
  if (next.authorities !== current.authorities) connections.closeAll();
  return next;
}

async function closeServer({ listener, closeIdle, closeAll }: ServerConnections): Promise<void> {
  const closed = once(listener, 'close');
  listener.close();
  closeIdle();
  const closeTimer = setTimeout(closeAll, closeTimeoutMs);
  await closed;
  clearTimeout(closeTimer);
}

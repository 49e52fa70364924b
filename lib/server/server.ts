import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { Server, ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import type { Access } from './access/access.ts';
import type { ClientAuthorities } from './access/client-authorities.ts';
import type { CertificateSource } from './certificate/certificate-source.ts';
import type { KeyPair } from './certificate/self-signed.ts';
import { respond } from './respond.ts';
import type { Routes } from './route.ts';
import type { TlsPolicy } from './tls-policy.ts';

export interface ServerParts {
  readonly port: number;
  /** Absent: every address. */
  readonly address?: string;
  readonly tls: TlsPolicy;
  readonly certificate: CertificateSource;
  readonly clientAuthorities: ClientAuthorities;
  readonly access: Access;
  readonly routes: Routes;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RunningServer {
  readonly port: number;
  close(): Promise<void>;
}

const limits = {
  maxHeaderSize: 32_768,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  handshakeTimeout: 10_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 2_000,
} as const satisfies ServerOptions;
const mostConnections = 200;
const longestSilenceMs = 60_000;
const freshEveryMs = 10_000;
const longestRefreshMs = 5_000;
const closeWithinMs = 1_000;

/** Rejects when the certificate cannot be used or the port is not to be had. */
export async function startServer(parts: ServerParts): Promise<RunningServer> {
  const closing = new AbortController();
  const first = await materialOf(parts, undefined, closing.signal);
  const server = createServer({
    ...limits,
    ...contextOf(parts.tls, first),
    requestCert: true,
    rejectUnauthorized: false,
  });
  const responder = { ...parts, signal: closing.signal };
  server.on('request', (request, response) => {
    respond(responder, request, response).catch(() => response.destroy());
  });
  bound(server);
  const port = await listen(server, parts);
  const fresh = stayFresh(server, parts, { known: first, signal: closing.signal });
  return {
    port,
    close: async () => {
      closing.abort(new Error('the server closes'));
      await Promise.all([end(server), fresh]);
    },
  };
}

/** What the server shows, and whom it believes. */
interface Material extends KeyPair {
  readonly authorities: string;
}

async function materialOf(parts: ServerParts, known: Material | undefined, signal: AbortSignal): Promise<Material> {
  const { key, cert } = await parts.certificate();
  if (key !== known?.key || cert !== known.cert) checkPair({ key, cert });
  const limited = AbortSignal.any([signal, AbortSignal.timeout(longestRefreshMs)]);
  const authorities = await parts.clientAuthorities(limited).catch((error: unknown) => {
    parts.log.step(`who vouches for clients is not known: ${error instanceof Error ? error.message : 'unknown'}`);
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

/** Without tickets: a session that is taken up again would keep a client's certificate past its authority's end. */
function contextOf({ minVersion, ciphers }: TlsPolicy, { key, cert, authorities }: Material): SecureContextOptions {
  // An empty list believes nobody; without one, everybody's certificate from a public authority would do.
  const ca = authorities === '' ? [] : [authorities];
  const secureOptions = constants.SSL_OP_NO_TICKET;
  return { key, cert, ca, minVersion, secureOptions, ...(ciphers !== undefined && { ciphers }) };
}

function bound(server: Server): void {
  server.maxConnections = mostConnections;
  server.setTimeout(longestSilenceMs, (socket) => socket.destroy());
  server.on('drop', () => server.closeIdleConnections());
}

async function listen(server: Server, { port, address }: ServerParts): Promise<number> {
  server.listen({ port, ...(address !== undefined && { host: address }) });
  try {
    await once(server, 'listening');
  } catch (cause) {
    const remedy = 'stop what has it, or give another --secure-port';
    throw new Failure('misconfigured', `port ${port} cannot be listened on`, { remedy, cause });
  }
  return (server.address() as AddressInfo).port;
}

interface Freshness {
  readonly known: Material;
  readonly signal: AbortSignal;
}

async function stayFresh(server: Server, parts: ServerParts, { known, signal }: Freshness): Promise<void> {
  let current = known;
  let said = '';
  while (await slept(parts.clock, signal)) {
    try {
      current = renew(server, parts, { current, next: await materialOf(parts, current, signal) });
      said = '';
    } catch (error) {
      const line = `the server keeps the certificate it has: ${error instanceof Error ? error.message : 'unknown'}`;
      if (line !== said) parts.log.say(line);
      said = line;
    }
  }
}

function slept(clock: Clock, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(freshEveryMs, signal).then(
    () => true,
    () => false,
  );
}

function renew(
  server: Server,
  { tls }: ServerParts,
  { current, next }: Readonly<Record<'current' | 'next', Material>>,
): Material {
  const isSame = next.key === current.key && next.cert === current.cert && next.authorities === current.authorities;
  if (isSame) return current;
  server.setSecureContext(contextOf(tls, next));
  // Who connected under authorities that are no more has to show itself again.
  if (next.authorities !== current.authorities) server.closeAllConnections();
  return next;
}

async function end(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const cut = setTimeout(() => server.closeAllConnections(), closeWithinMs);
  await closed;
  clearTimeout(cut);
}

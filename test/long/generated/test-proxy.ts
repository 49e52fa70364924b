import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { SecureContext } from 'node:tls';
import type { Authority } from '../../lab/authority.ts';
import type { GeneratedCase } from './generated-case.ts';
import { localServices, serviceAt } from './destinations.ts';
import type { RawServers } from './raw-servers.ts';

/** A proxy that an executable's requests to production names lead through: to our servers, where they are the right ones. */
export interface TestProxy {
  readonly url: string;
  setCase(generated: GeneratedCase): void;
  /** Forbidden targets that were requested since the last `play`. */
  readonly unexpectedRequests: readonly string[];
  close(): Promise<void>;
}

export async function openTestProxy(authority: Authority, servers: RawServers): Promise<TestProxy> {
  const unexpectedRequests: string[] = [];
  const sockets = new Set<Socket>();
  const certificates = createCertificates(authority);
  let playing: GeneratedCase | undefined;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.once('data', (head: Buffer) => {
      const target = playing && targetOf(head.toString('latin1'), playing, servers);
      if (target === undefined) {
        refuse(socket, head.toString('latin1').split('\r\n', 1)[0] ?? '', unexpectedRequests);
        return;
      }
      certificates(target.host).then(
        (context) => (socket.destroyed ? undefined : openTunnel(socket, target.port, context)),
        () => socket.destroy(),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    unexpectedRequests,
    setCase: (generated) => {
      unexpectedRequests.length = 0;
      playing = generated;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** One certificate for each host name, made when the first request to it comes: configurations name hosts of their own. */
function createCertificates(authority: Authority): (host: string) => Promise<SecureContext> {
  const contexts = new Map<string, Promise<SecureContext>>();
  return (host) => {
    const context = contexts.get(host) ?? createContext(authority, `gate-${contexts.size}`, host);
    contexts.set(host, context);
    return context;
  };
}

async function createContext(authority: Authority, name: string, host: string): Promise<SecureContext> {
  const { keyFile, certificateFile } = await authority.issue(name, [host]);
  return createSecureContext({ key: readFileSync(keyFile), cert: readFileSync(certificateFile) });
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/** A server of ours. Only tunnels are opened, to the port that everybody uses. */
function targetOf(head: string, generated: GeneratedCase, servers: RawServers): Target | undefined {
  const host = /^CONNECT (?<host>[^\s:]+):443 HTTP/.exec(head)?.groups?.['host'];
  if (host === undefined || !URL.canParse(`https://${host}/`)) return undefined;
  const service = serviceAt(new URL(`https://${host}/`), generated);
  if (service === undefined || localServices.has(service)) return undefined;
  return { host, port: Number(new URL(servers.urls[service]).port) };
}

function refuse(socket: Socket, line: string, unexpectedRequests: string[]): void {
  unexpectedRequests.push(line);
  socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
}

/** What the server sends is passed on as it is, ends and resets too. */
function openTunnel(socket: Socket, port: number, secureContext: SecureContext): void {
  const server = connect(port, '127.0.0.1');
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
  const client = new TLSSocket(socket, { isServer: true, secureContext });
  client.pipe(server).pipe(client);
  client.on('error', () => server.destroy());
  server.on('error', () => socket.resetAndDestroy());
  socket.once('close', () => server.destroy());
}

import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** The argument of gate.ts, as JSON. */
export interface NamespaceProxyOptions {
  readonly outbound: { readonly listenOn: readonly NodeEndpoint[]; readonly socket: string };
  readonly inboundSocket: string;
}

export interface NodeEndpoint {
  readonly address: string;
  readonly port: number;
}

/** The API server's side of the gate: out here, on the loopback interface of the machine. */
export interface Gateway {
  readonly options: NamespaceProxyOptions;
  close(): void;
}

/** Leads connections that come out of the gate to a port of ours. */
export async function openGateway(directory: string, port: number, inside: readonly NodeEndpoint[]): Promise<Gateway> {
  const socket = join(directory, 'way-out.sock');
  const sockets = new Set<Socket>();
  const server = createServer((arrived) => forward(arrived, port, sockets));
  server.listen(socket);
  await once(server, 'listening');
  return {
    options: { outbound: { listenOn: inside, socket }, inboundSocket: inboundSocketOf(directory) },
    close: () => closeAll(server, sockets),
  };
}

export function inboundSocketOf(directory: string): string {
  return join(directory, 'way-in.sock');
}

function forward(arrived: Socket, port: number, sockets: Set<Socket>): void {
  const target = connect({ host: '127.0.0.1', port, noDelay: true });
  sockets.add(arrived).add(target);
  arrived.pipe(target).pipe(arrived);
  for (const [one, other] of [
    [arrived, target],
    [target, arrived],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => {
      other.destroy();
      sockets.delete(one);
    });
  }
}

function closeAll(server: Server, sockets: ReadonlySet<Socket>): void {
  server.close();
  for (const socket of sockets) socket.destroy();
}

/** Where the API server finds the way to kubelets, and to whatever else it has to reach in the cluster. */
export function egressConfiguration(inboundSocket: string): object {
  const connection = { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: inboundSocket } } };
  return {
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: [{ name: 'cluster', connection }],
  };
}

/** A connection from outside to an address inside. */
export async function openTunnel(inboundSocket: string, { address, port }: NodeEndpoint): Promise<Socket> {
  const host = address.includes(':') ? `[${address}]` : address;
  const asked = request({
    socketPath: inboundSocket,
    method: 'CONNECT',
    path: `${host}:${String(port)}`,
    agent: false,
  });
  asked.end();
  const [response, socket] = (await once(asked, 'connect')) as [IncomingMessage, Socket];
  if (response.statusCode !== 200) throw new Error(`no way to ${host}:${String(port)}`);
  return socket;
}

export interface PlainResponse {
  readonly status: number;
  readonly body: string;
}

/** Asks a plain HTTP server inside. */
export async function httpGetInside(inboundSocket: string, url: string): Promise<PlainResponse> {
  const { hostname, port, pathname, search } = new URL(url);
  const endpoint = { address: hostname.replaceAll(/[[\]]/g, ''), port: Number(port || 80) };
  const socket = await openTunnel(inboundSocket, endpoint);
  const asked = request({ createConnection: () => socket, host: hostname, path: pathname + search });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
}

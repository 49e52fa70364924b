import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { Test } from 'tap';
import { createHttp } from '../../../lib/http/create-http.ts';
import type { HttpSettings } from '../../../lib/http/create-http.ts';
import type { Http, HttpRequest } from '../../../lib/http/http.ts';

/** A server on 127.0.0.1 that ends with the test. */
export interface LoopbackServer {
  readonly port: number;
  /** TCP connections so far. */
  connections(): number;
  /** Of these, how many are there still. */
  open(): number;
  /** Closes the port and all connections. */
  close(): Promise<void>;
}

/** With other TLS options of a Node.js server. */
export interface TlsKeyPair extends SecureContextOptions {
  readonly key: string;
  readonly cert: string;
}

export async function startHttp(t: Test, handle: RequestListener): Promise<LoopbackServer> {
  return listen(t, createHttpServer(handle));
}

export async function startHttps(t: Test, pair: TlsKeyPair, handle: RequestListener): Promise<LoopbackServer> {
  return listen(t, createHttpsServer(pair, handle));
}

/** Answers with bytes of its own, HTTP or not. */
export async function startRaw(t: Test, handle: (socket: Socket) => void): Promise<LoopbackServer> {
  return listen(t, createServer(handle));
}

/** Waits for the whole request first, so that the answer cannot overtake it. */
export async function startRawAnswer(t: Test, answer: (socket: Socket) => void): Promise<LoopbackServer> {
  return startRaw(t, (socket) => {
    socket.once('data', () => answer(socket));
  });
}

export async function listen(t: Test, server: Server): Promise<LoopbackServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    // What a test breaks on purpose must not end the whole process.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  t.teardown(close);
  return { port, connections: () => connections, open: () => sockets.size, close };
}

export const neverAborted = new AbortController().signal;

/** Whatever a test does not speak about. */
export function plainRequest(address: string, changes: Partial<HttpRequest>): HttpRequest {
  const limits = { connectMs: 5_000, totalMs: 10_000 };
  return { method: 'GET', url: new URL(address), headers: {}, route: 'direct', limits, ...changes };
}

export function plainHttp(changes: Partial<HttpSettings>): Http {
  return createHttp({ proxies: { no: '' }, allAuthorities: () => [], ...changes });
}

/** Calls with the whole body once it is there. */
export function withBody(request: IncomingMessage, use: (body: string) => void): void {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (part: string) => {
    body += part;
  });
  request.on('end', () => use(body));
}

import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { once } from 'node:events';

/** Where one service is served. Port 0 takes a free one. */
export interface ListenerOptions {
  readonly service: string;
  readonly address: string;
  readonly port: number;
  readonly tls?: TlsFiles;
}

export interface TlsFiles {
  readonly keyFile: string;
  readonly certificateFile: string;
}

export interface Listener {
  readonly service: string;
  readonly url: string;
  /** Closes the port and resets its connections. No error if it is closed already. */
  close(): Promise<void>;
  /** On the same port as before. Says nothing when it is so already. */
  open(): Promise<void>;
}

/** The socket is the one of TCP, also below TLS. */
export type Handle = (request: IncomingMessage, response: ServerResponse, socket: Socket) => void;

export async function createListener(options: ListenerOptions, handle: Handle): Promise<Listener> {
  const sockets = new Map<string, Socket>();
  const server = createServer(options.tls, (request, response) => {
    const socket = sockets.get(peerOf(request.socket));
    if (socket) handle(request, response, socket);
  });
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    sockets.set(peer, socket);
    socket.once('close', () => sockets.delete(peer));
  });
  server.listen(options.port, options.address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    service: options.service,
    url: urlOf(options, port),
    close: () => closeServer(server, sockets),
    open: async () => {
      if (server.listening) return;
      server.listen(port, options.address);
      await once(server, 'listening');
    },
  };
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** When to give up on a connection is the client's decision here. */
const noTimeouts = { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 };

function createServer(tls: TlsFiles | undefined, handler: RequestHandler): Server {
  if (!tls) return createHttpServer(noTimeouts, handler);
  const key = readFileSync(tls.keyFile);
  const cert = readFileSync(tls.certificateFile);
  return createHttpsServer({ ...noTimeouts, key, cert }, handler);
}

async function closeServer(server: Server, sockets: ReadonlyMap<string, Socket>): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  for (const socket of sockets.values()) socket.destroy();
  await closed;
}

function peerOf(socket: Socket): string {
  return `${String(socket.remoteAddress)} ${String(socket.remotePort)}`;
}

function urlOf({ address, tls }: ListenerOptions, port: number): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return `${tls ? 'https' : 'http'}://${host}:${String(port)}`;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { createServer } from 'node:net';
import type { Server as TcpServer, Socket } from 'node:net';

export interface ConnectionLimits {
  /** Connections without TLS: they have sent no byte, or are in the queue. About 3 KB each, and what they have sent. */
  readonly maxSilent: number;
  /** Connections in their TLS handshake or first header. An unfinished handshake takes about 75 KB. */
  readonly maxHandshaking: number;
  /** Connections that have sent a request. */
  readonly maxEstablished: number;
  /** How long a connection without a request keeps its place while others wait. */
  readonly minHandshakeMs: number;
  /** From the TCP connection to TLS, and from there to the end of the first request's header. */
  readonly firstRequestTimeoutMs: number;
}

export interface ServerConnections {
  /** Accepts TCP connections for the HTTPS server, which does not listen itself. */
  readonly listener: TcpServer;
  /** Closes all connections without a request under way. */
  closeIdle(): void;
  closeAll(): void;
}

/**
 * Every new connection is accepted. TLS begins with its first byte. When too many connections are in their handshake or
 * first header, it is queued, and the oldest of these is closed after its minimum time. So neither silent nor slow
 * connections can keep health probes out, and the queue bounds the memory and processor time of handshakes. Connections
 * that have sent a request have places of their own; the one with the oldest last request is closed for a new one.
 */
export function limitConnections(server: HttpsServer, limits: ConnectionLimits): ServerConnections {
  const tables: Tables = { silent: new Map(), waiting: new Map(), handshaking: new Map(), established: new Map() };
  const all = (): Connection[] => Object.values(tables).flatMap((table: Table) => [...table.values()]);
  const startWaiting = waitingStarter(server, limits, tables);
  const listener = createServer({ noDelay: true }, (socket) => accept(socket, { limits, tables, startWaiting }));
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const key = connectionKey(request.socket);
    const connection = tables.handshaking.get(key) ?? tables.established.get(key);
    if (connection === undefined) return;
    trackRequest(connection, response, { limits, tables });
    startWaiting();
  });
  return {
    listener,
    closeIdle: () => close(all().filter(({ isBusy }) => !isBusy)),
    closeAll: () => close(all()),
  };
}

interface Connection {
  readonly key: string;
  readonly socket: Socket;
  readonly firstRequestTimer: NodeJS.Timeout;
  table: Table;
  tlsStartedAtMs: number;
  /** A request is under way. */
  isBusy: boolean;
}

/** By name. A Map lists its entries in the order in which they were added. */
type Table = Map<string, Connection>;

interface Tables {
  readonly silent: Table;
  /** It has sent something, and TLS has not begun. */
  readonly waiting: Table;
  /** TLS has begun, and no request has arrived. */
  readonly handshaking: Table;
  readonly established: Table;
}

interface LimitParts {
  readonly limits: ConnectionLimits;
  readonly tables: Tables;
}

/** The first message of a TLS client has less than 2 KB, and the client sends nothing before the response. */
const longestHelloBytes = 8_192;

function accept(socket: Socket, { limits, tables, startWaiting }: LimitParts & { startWaiting(): void }): void {
  const { silent, waiting } = tables;
  socket.on('error', () => socket.destroy());
  if (socket.remoteAddress === undefined) return void socket.destroy(); // It has closed in the meantime.
  const firstRequestTimer = setTimeout(() => socket.destroy(), limits.firstRequestTimeoutMs);
  const connection = {
    key: connectionKey(socket),
    socket,
    firstRequestTimer,
    table: silent,
    tlsStartedAtMs: 0,
    isBusy: false,
  };
  if (silent.size + waiting.size >= limits.maxSilent) closeOldest(silent.size > 0 ? silent : waiting);
  silent.set(connection.key, connection);
  socket.once('close', () => {
    clearTimeout(firstRequestTimer);
    connection.table.delete(connection.key);
    startWaiting();
  });
  socket.once('readable', () => {
    const { destroyed, readableLength } = socket;
    if (destroyed || readableLength === 0 || readableLength > longestHelloBytes) return void socket.destroy();
    move(connection, waiting);
    startWaiting();
  });
}

/**
 * Begins TLS with queued connections, in order, while there are places or places can be freed. It closes connections for
 * others only after everything that has arrived is read: a fast client must not suffer from a slow server.
 */
function waitingStarter(
  server: HttpsServer,
  { maxHandshaking, minHandshakeMs }: ConnectionLimits,
  tables: Tables,
): () => void {
  const { waiting, handshaking } = tables;
  let timer: NodeJS.Timeout | undefined;

  function startWaiting(): void {
    for (const connection of waiting.values()) {
      if (handshaking.size >= maxHandshaking) {
        closeLater();
        return;
      }
      connection.tlsStartedAtMs = performance.now();
      connection.firstRequestTimer.refresh();
      move(connection, handshaking);
      server.emit('connection', connection.socket);
    }
  }

  function closeLater(): void {
    const [oldest] = handshaking.values();
    if (oldest === undefined || timer !== undefined) return;
    timer = setTimeout(
      () => setImmediate(closeSlow),
      oldest.tlsStartedAtMs + minHandshakeMs - performance.now(),
    ).unref();
  }

  function closeSlow(): void {
    timer = undefined;
    const endMs = performance.now() - minHandshakeMs;
    const slow = [...handshaking.values()].filter(({ tlsStartedAtMs }) => tlsStartedAtMs <= endMs);
    for (const _ of slow.slice(0, waiting.size)) closeOldest(handshaking);
    startWaiting();
  }

  return startWaiting;
}

function trackRequest(
  connection: Connection,
  response: ServerResponse,
  { limits, tables: { established } }: LimitParts,
): void {
  clearTimeout(connection.firstRequestTimer);
  connection.isBusy = true;
  if (connection.table !== established && established.size >= limits.maxEstablished) closeOldest(established);
  move(connection, established);
  response.once('finish', () => {
    connection.isBusy = false;
  });
}

/** The same for a TCP socket and for the TLS socket on top of it. Node.js has no link from one to the other. */
function connectionKey({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`;
}

function move(connection: Connection, table: Table): void {
  connection.table.delete(connection.key);
  connection.table = table;
  table.set(connection.key, connection);
}

function closeOldest(table: Table): void {
  const [oldest] = table.values();
  if (oldest === undefined) return;
  table.delete(oldest.key);
  oldest.socket.destroy();
}

function close(connections: readonly Connection[]): void {
  for (const { socket } of connections) socket.destroy();
}

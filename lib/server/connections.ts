import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { createServer } from 'node:net';
import type { Server as TcpServer, Socket } from 'node:net';

export interface ConnectionLimits {
  /** Connections without TLS: they have not sent a byte, or wait for their turn. Some 3 KB each, and what they have sent. */
  readonly mostSilent: number;
  /** In their TLS handshake or first header. A handshake that stopped half way holds some 75 KB. */
  readonly mostUnproven: number;
  /** Have sent a request. */
  readonly mostProven: number;
  /** How long an unproven connection is left alone while others wait for its place. */
  readonly turnMs: number;
  /** From the TCP connection to TLS, and from there to the end of the first request's header. */
  readonly firstRequestWithinMs: number;
}

export interface Connections {
  /** Accepts TCP connections for the HTTPS server, which does not listen itself. */
  readonly listener: TcpServer;
  /** Closes all connections without a request under way. */
  closeIdle(): void;
  closeAll(): void;
}

/**
 * A new connection is always accepted. TLS begins with its first byte; when too many are in their handshake or first header,
 * it waits in line, and the oldest of these is closed once it has had its turn. So neither silent nor slow connections can
 * keep health probes out, and the line bounds how much memory and processor time handshakes take. Connections that have sent
 * a request have places of their own; the one whose last request is the oldest is closed for a new one.
 */
export function limitConnections(server: HttpsServer, limits: ConnectionLimits): Connections {
  const tables: Tables = { silent: new Map(), waiting: new Map(), unproven: new Map(), proven: new Map() };
  const all = (): Connection[] => Object.values(tables).flatMap((table: Table) => [...table.values()]);
  const startWaiting = waitingStarter(server, limits, tables);
  const listener = createServer({ noDelay: true }, (socket) => accept(socket, { limits, tables, startWaiting }));
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const name = nameOf(request.socket);
    const connection = tables.unproven.get(name) ?? tables.proven.get(name);
    if (connection === undefined) return;
    follow(connection, response, { limits, tables });
    startWaiting();
  });
  return {
    listener,
    closeIdle: () => close(all().filter(({ isBusy }) => !isBusy)),
    closeAll: () => close(all()),
  };
}

interface Connection {
  readonly name: string;
  readonly socket: Socket;
  readonly firstRequestTimer: NodeJS.Timeout;
  table: Table;
  tlsAtMs: number;
  /** A request is under way. */
  isBusy: boolean;
}

/** By name. A Map lists its entries in the order in which they were added. */
type Table = Map<string, Connection>;

interface Tables {
  readonly silent: Table;
  /** Has sent something, and TLS has not begun. */
  readonly waiting: Table;
  /** TLS has begun, and no request has come. */
  readonly unproven: Table;
  readonly proven: Table;
}

interface Parts {
  readonly limits: ConnectionLimits;
  readonly tables: Tables;
}

/** The first message of a TLS client has less than 2 KB, and it sends nothing before the answer. */
const longestHelloBytes = 8_192;

function accept(socket: Socket, { limits, tables, startWaiting }: Parts & { startWaiting(): void }): void {
  const { silent, waiting } = tables;
  socket.on('error', () => socket.destroy());
  if (socket.remoteAddress === undefined) return void socket.destroy(); // It has closed in the meantime.
  const firstRequestTimer = setTimeout(() => socket.destroy(), limits.firstRequestWithinMs);
  const connection = { name: nameOf(socket), socket, firstRequestTimer, table: silent, tlsAtMs: 0, isBusy: false };
  if (silent.size + waiting.size >= limits.mostSilent) closeOldest(silent.size > 0 ? silent : waiting);
  silent.set(connection.name, connection);
  socket.once('close', () => {
    clearTimeout(firstRequestTimer);
    connection.table.delete(connection.name);
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
 * Begins TLS with those that wait, in their order, as far as there are places or these can be had. Connections are closed for
 * others only after everything that has arrived is read: who was quick must not suffer from our being slow.
 */
function waitingStarter(server: HttpsServer, { mostUnproven, turnMs }: ConnectionLimits, tables: Tables): () => void {
  const { waiting, unproven } = tables;
  let timer: NodeJS.Timeout | undefined;

  function startWaiting(): void {
    for (const connection of waiting.values()) {
      if (unproven.size >= mostUnproven) {
        closeLater();
        return;
      }
      connection.tlsAtMs = performance.now();
      connection.firstRequestTimer.refresh();
      move(connection, unproven);
      server.emit('connection', connection.socket);
    }
  }

  function closeLater(): void {
    const [oldest] = unproven.values();
    if (oldest === undefined || timer !== undefined) return;
    timer = setTimeout(() => setImmediate(closeSlow), oldest.tlsAtMs + turnMs - performance.now()).unref();
  }

  function closeSlow(): void {
    timer = undefined;
    const endMs = performance.now() - turnMs;
    const slow = [...unproven.values()].filter(({ tlsAtMs }) => tlsAtMs <= endMs);
    for (const _ of slow.slice(0, waiting.size)) closeOldest(unproven);
    startWaiting();
  }

  return startWaiting;
}

function follow(connection: Connection, response: ServerResponse, { limits, tables: { proven } }: Parts): void {
  clearTimeout(connection.firstRequestTimer);
  connection.isBusy = true;
  if (connection.table !== proven && proven.size >= limits.mostProven) closeOldest(proven);
  move(connection, proven);
  response.once('finish', () => {
    connection.isBusy = false;
  });
}

/** The same for a TCP socket and for the TLS socket on top of it. Node.js has no link from one to the other. */
function nameOf({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`;
}

function move(connection: Connection, table: Table): void {
  connection.table.delete(connection.name);
  connection.table = table;
  table.set(connection.name, connection);
}

function closeOldest(table: Table): void {
  const [oldest] = table.values();
  if (oldest === undefined) return;
  table.delete(oldest.name);
  oldest.socket.destroy();
}

function close(connections: readonly Connection[]): void {
  for (const { socket } of connections) socket.destroy();
}

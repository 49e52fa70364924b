import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { createServer } from 'node:net';
import type { Server as TcpServer, Socket } from 'node:net';

export interface ConnectionLimits {
  /** Connections that have not sent a byte: TCP only, some 3 KB each. */
  readonly mostSilent: number;
  /** All others. A TLS handshake that stopped half way holds some 75 KB. */
  readonly mostActive: number;
  /** From the TCP connection to the end of the first request's header. */
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
 * A new connection is always accepted. When there are too many, the oldest one without a completed request is closed. If
 * every connection has completed a request, it is the one that did so the longest ago. So connections that stay silent
 * cannot keep health probes out, however many they are.
 */
export function limitConnections(server: HttpsServer, limits: ConnectionLimits): Connections {
  const tables: Tables = { silent: new Map(), unproven: new Map(), proven: new Map() };
  const all = (): Connection[] => Object.values(tables).flatMap((table: Table) => [...table.values()]);
  const listener = createServer({ noDelay: true }, (socket) => accept(socket, { server, limits, tables }));
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const name = nameOf(request.socket);
    const connection = tables.unproven.get(name) ?? tables.proven.get(name);
    if (connection !== undefined) follow(connection, response, tables.proven);
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
  /** A request is under way. */
  isBusy: boolean;
}

/** By name. A Map lists its entries in the order in which they were added. */
type Table = Map<string, Connection>;

interface Tables {
  readonly silent: Table;
  /** Has sent something, and completed no request. */
  readonly unproven: Table;
  readonly proven: Table;
}

interface Parts {
  readonly server: HttpsServer;
  readonly limits: ConnectionLimits;
  readonly tables: Tables;
}

function accept(socket: Socket, { server, limits, tables }: Parts): void {
  const { silent, unproven, proven } = tables;
  socket.on('error', () => socket.destroy());
  if (socket.remoteAddress === undefined) return void socket.destroy(); // It has closed in the meantime.
  const firstRequestTimer = setTimeout(() => socket.destroy(), limits.firstRequestWithinMs);
  const connection = { name: nameOf(socket), socket, firstRequestTimer, table: silent, isBusy: false };
  if (silent.size >= limits.mostSilent) closeOldest(silent);
  silent.set(connection.name, connection);
  socket.once('close', () => {
    clearTimeout(firstRequestTimer);
    connection.table.delete(connection.name);
  });
  socket.once('readable', () => {
    if (socket.destroyed || socket.readableLength === 0) return void socket.destroy();
    if (unproven.size + proven.size >= limits.mostActive) closeOldest(unproven.size > 0 ? unproven : proven);
    move(connection, unproven);
    server.emit('connection', socket);
  });
}

function follow(connection: Connection, response: ServerResponse, proven: Table): void {
  clearTimeout(connection.firstRequestTimer);
  connection.isBusy = true;
  response.once('finish', () => {
    connection.isBusy = false;
    if (!connection.socket.destroyed) move(connection, proven);
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

import { once } from 'node:events';
import { promises as files } from 'node:fs';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { Failure } from '../../../lib/failure.ts';
import { handleConnection } from './handle-connection.ts';
import type { BrokerRequestHandler, BufferedBytes } from './handle-connection.ts';
import { hasInode, makeSocketDirectory, putInPlace, removeSocket } from './socket-directory.ts';

export interface SocketListener {
  /** Is the socket at its path the one that this listens at? */
  isInPlace(): Promise<boolean>;
  close(): Promise<void>;
}

/** What fits into a socket's address, the process id of an unfinished one included. */
const longestPathBytes = 98;
const connectionsMax = 1_024;
const ownerOnly = 0o600;

/** Throws a `Failure` when the socket cannot be had, or not for its owner alone. */
export async function listen(socketPath: string, handleRequest: BrokerRequestHandler): Promise<SocketListener> {
  if (Buffer.byteLength(socketPath) > longestPathBytes) {
    throw new Failure('misconfigured', `the path of the broker's socket is longer than ${longestPathBytes} bytes`, {
      remedy: 'give a shorter one',
    });
  }
  await makeSocketDirectory(socketPath, process.getuid?.() ?? 0);
  const connections = new Set<Socket>();
  const buffered: BufferedBytes = { count: 0 };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    handleConnection(socket, handleRequest, buffered);
  });
  server.maxConnections = connectionsMax;
  const inode = await listenAt(socketPath, server);
  return {
    isInPlace: async () => server.listening && hasInode(socketPath, inode),
    close: async () => {
      await removeSocket(socketPath, inode);
      server.close();
      // Their front ends start the full program at once.
      for (const connection of connections) connection.destroy();
    },
  };
}

/** In a container the process id is always 1, so an agent that was killed can have left a file of this name. */
async function listenAt(socketPath: string, server: Server): Promise<bigint> {
  const temporaryPath = `${socketPath}.${process.pid}`;
  try {
    await files.rm(temporaryPath, { force: true });
    server.listen({ path: temporaryPath, backlog: connectionsMax });
    await once(server, 'listening');
    server.on('error', () => {});
    await files.chmod(temporaryPath, ownerOnly);
    return await putInPlace(temporaryPath, socketPath);
  } catch (cause) {
    server.close();
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new Failure('unavailable', `the broker cannot listen at ${socketPath} (${code})`, {
      remedy: remedies.get(code) ?? 'check that the directory is a volume of the host that can be written to',
      cause,
    });
  }
}

const remedies: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'free space on the file system of that directory'],
  ['EDQUOT', 'free space on the file system of that directory'],
  ['EISDIR', 'remove the directory that is in its place'],
  ['ERR_FS_EISDIR', `remove the directory in its place, or the one at that path followed by .${process.pid}`],
]);

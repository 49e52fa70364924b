import { once } from 'node:events';
import { promises as files } from 'node:fs';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { Failure } from '../../../lib/failure.ts';
import { handleConnection } from './handle-connection.ts';
import type { BrokerRequestHandler, BufferedBytes } from './handle-connection.ts';
import { hasInode, makeSocketDirectory, putInPlace, removeSocket } from './socket-directory.ts';

export interface SocketListener {
  /** Is the socket at the path still the one of this listener? */
  isInPlace(): Promise<boolean>;
  close(): Promise<void>;
}

/** The maximum of a socket address, less the suffix of the temporary name. */
const longestPathBytes = 98;
const connectionsMax = 1_024;
const ownerOnly = 0o600;

/**
 * Throws a `Failure` when the socket cannot be created, or not with access for its owner only. With `descriptor` it listens
 * on the socket that systemd opened at that path, which stays there when this process ends.
 */
export async function listen(
  socketPath: string,
  handleRequest: BrokerRequestHandler,
  descriptor?: number,
): Promise<SocketListener> {
  if (Buffer.byteLength(socketPath) > longestPathBytes) {
    throw new Failure('misconfigured', `the path of the broker's socket is longer than ${longestPathBytes} bytes`, {
      remedy: 'use a shorter path',
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
  const inode = await (descriptor === undefined
    ? listenAt(socketPath, server)
    : listenOn(descriptor, socketPath, server));
  return {
    isInPlace: async () => server.listening && hasInode(socketPath, inode),
    close: async () => {
      if (descriptor === undefined) await removeSocket(socketPath, inode);
      server.close();
      // Then their front ends start the full program at once.
      for (const connection of connections) connection.destroy();
    },
  };
}

/** In a container the process id is always 1, so a killed agent can have left a file with this name. */
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
      remedy: remedies.get(code) ?? 'check that the directory is a writable volume of the host',
      cause,
    });
  }
}

async function listenOn(descriptor: number, socketPath: string, server: Server): Promise<bigint> {
  try {
    server.listen({ fd: descriptor, backlog: connectionsMax });
    await once(server, 'listening');
    server.on('error', () => {});
    return (await files.lstat(socketPath, { bigint: true })).ino;
  } catch (cause) {
    server.close();
    throw new Failure('misconfigured', `the descriptor from systemd is not a socket at ${socketPath}`, {
      remedy: `set ListenStream=${socketPath} in the socket unit`,
      cause,
    });
  }
}

const remedies: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'free space on the file system of that directory'],
  ['EDQUOT', 'free space on the file system of that directory'],
  ['EISDIR', 'remove the directory at that path'],
  ['ERR_FS_EISDIR', `remove the directory at that path, or at that path followed by .${process.pid}`],
]);

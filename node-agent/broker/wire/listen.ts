import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { Failure } from '../../../lib/failure.ts';
import { brokerLimits } from '../../../schemas/broker.ts';
import { printReply } from './print-reply.ts';
import type { Reply } from './print-reply.ts';
import { makeSocketDirectory, putInPlace, removeSocket } from './socket-directory.ts';

export interface Listener {
  close(): Promise<void>;
}

/** To all that came until the other side had no more to say. Never rejects. */
export type Answer = (text: string) => Promise<Reply>;

/** What fits into a socket's address, the process id of an unfinished one included. */
const longestPathBytes = 98;
const headerBytes = 300;
const connectionsMax = 1_024;
/** The front end has the kubelet's bytes at hand; who takes longer is none. */
const longestRequestMs = 5_000;
/** Longer than any login takes, and than the front end waits. */
const longestReplyMs = 60_000;

export async function listen(socketPath: string, answer: Answer): Promise<Listener> {
  if (Buffer.byteLength(socketPath) > longestPathBytes) {
    throw new Failure('misconfigured', `the path of the broker's socket is longer than ${longestPathBytes} bytes`, {
      remedy: 'give a shorter one',
    });
  }
  const owner = process.getuid?.() ?? 0;
  await makeSocketDirectory(socketPath, owner);
  const connections = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    converse(socket, answer);
  });
  server.maxConnections = connectionsMax;
  const unfinished = `${socketPath}.${process.pid}`;
  await begin(server, unfinished);
  const own = await putInPlace(unfinished, socketPath);
  return {
    close: async () => {
      await removeSocket(socketPath, own);
      server.close();
      // Their front ends start the full program at once.
      for (const connection of connections) connection.destroy();
    },
  };
}

async function begin(server: Server, path: string): Promise<void> {
  try {
    server.listen({ path, backlog: connectionsMax });
    await once(server, 'listening');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new Failure('unavailable', `the broker cannot listen at ${path} (${code})`, {
      remedy: 'check that the directory is a volume of the host that can be written to',
      cause,
    });
  }
  server.on('error', () => {});
}

/** One question, one reply. */
function converse(socket: Socket, answer: Answer): void {
  const parts: Buffer[] = [];
  let lengthBytes = 0;
  const reply = (said: Reply): void => void socket.end(printReply(said));
  // It went away; there is nobody to tell.
  socket.on('error', () => socket.destroy());
  socket.setTimeout(longestRequestMs, () => socket.destroy());
  socket.on('data', (part: Buffer) => {
    parts.push(part);
    lengthBytes += part.length;
    if (lengthBytes > brokerLimits.requestBytes + headerBytes) {
      parts.length = 0;
      socket.pause();
      const tooLarge = { outcome: 'decline', text: 'the request is larger than the broker takes' } as const;
      // The rest is not waited for, nor is the other side to wait until it is taken.
      socket.end(printReply(tooLarge), () => socket.destroy());
    }
  });
  socket.once('end', () => {
    socket.setTimeout(longestReplyMs);
    answer(Buffer.concat(parts).toString('utf8')).then(reply, () => socket.destroy());
  });
}

import type { Socket } from 'node:net';
import type { Test } from 'tap';
import { startRaw } from './loopback.ts';
import type { LoopbackServer } from './loopback.ts';

/** One request as it came: over which connection, counted from 1, and with which path. */
export interface ReceivedRequest {
  readonly connection: number;
  readonly path: string;
}

export interface ScriptedServer extends LoopbackServer {
  readonly address: string;
  readonly requests: readonly ReceivedRequest[];
  readonly sockets: readonly Socket[];
}

/** Answers each request that has no body with whatever bytes the test wants, HTTP or not. */
export async function startScriptedServer(
  t: Test,
  answer: (socket: Socket, requests: ReceivedRequest) => void,
): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = [];
  const sockets: Socket[] = [];
  const server = await startRaw(t, (socket) => {
    const connection = sockets.push(socket);
    let unread = '';
    socket.on('data', (part) => {
      const heads = (unread + part.toString('latin1')).split('\r\n\r\n');
      unread = heads.pop() ?? '';
      for (const head of heads) {
        const received = { connection, path: head.split(' ')[1] ?? '' };
        requests.push(received);
        answer(socket, received);
      }
    });
  });
  return { ...server, address: `http://127.0.0.1:${server.port}`, requests, sockets };
}

export function okResponse(body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

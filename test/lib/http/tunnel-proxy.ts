import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Test } from 'tap';
import { listen, startRaw } from './loopback.ts';
import type { TlsKeyPair, LoopbackServer } from './loopback.ts';

export interface TunnelProxy extends LoopbackServer {
  readonly address: string;
  /** The requests for tunnels, with the lines of their heads. */
  readonly requests: readonly string[];
}

/** A proxy that leads every name to one port of this machine; with a pair it is spoken to over TLS. */
export async function startTunnelProxy(
  t: Test,
  targetPort: number,
  pair: TlsKeyPair | undefined,
): Promise<TunnelProxy> {
  const requests: string[] = [];
  const server = pair === undefined ? createHttpServer() : createHttpsServer(pair);
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    requests.push(textOf(request));
    const target = connect(targetPort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    endTogether(client, target);
  });
  const listening = await listen(t, server);
  return { ...listening, address: `${pair === undefined ? 'http' : 'https'}://127.0.0.1:${listening.port}`, requests };
}

function textOf({ method, url, rawHeaders }: IncomingMessage): string {
  const headers = rawHeaders.map((text, index) => (index % 2 === 0 ? `\n${text}: ` : text));
  return `${method} ${url}${headers.join('')}`;
}

function endTogether(one: Socket, other: Socket): void {
  for (const socket of [one, other]) {
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      one.destroy();
      other.destroy();
    });
  }
}

/** The parts that the server sent, counted from 1, and the socket to forward them to. */
export type ForwardPart = (part: Buffer, count: number, client: Socket) => void;

/** A proxy between a client and a server. The test decides how the server's bytes are forwarded. */
export async function startRelay(t: Test, targetPort: number, forward: ForwardPart): Promise<LoopbackServer> {
  return startRaw(t, (client) => {
    const target = connect(targetPort, '127.0.0.1');
    let count = 0;
    target.on('data', (part) => {
      count += 1;
      if (client.writable) forward(part, count, client);
    });
    client.on('data', (part) => target.write(part));
    endTogether(client, target);
  });
}

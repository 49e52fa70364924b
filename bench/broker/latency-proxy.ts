import { createConnection, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { once } from 'node:events';

export interface LatencyProxyOptions {
  readonly listenOn: string;
  readonly target: string;
  readonly roundTripMs: number;
}

const port = 443;

/**
 * A line with a round trip to it. The kernel of this machine accepts a connection at once, so the time that its handshake
 * would take is added to the first bytes that are sent. A side that sends first, as TLS clients do, ends at the same moment.
 */
export async function openLatencyProxy({ listenOn, target, roundTripMs }: LatencyProxyOptions): Promise<Server> {
  const server = createServer({ noDelay: true }, (near) => {
    const acceptedAtMs = performance.now();
    const far = createConnection({ host: target, port, noDelay: true });
    forward(near, far, () => Math.max(performance.now(), acceptedAtMs + roundTripMs) + roundTripMs / 2);
    forward(far, near, () => performance.now() + roundTripMs / 2);
  });
  server.listen(port, listenOn);
  await once(server, 'listening');
  return server;
}

function forward(from: Socket, to: Socket, arrivesAtMs: () => number): void {
  const later = (deliver: () => void): void => {
    const waitMs = arrivesAtMs() - performance.now();
    if (waitMs <= 0) deliver();
    else setTimeout(deliver, waitMs);
  };
  from.on('data', (part) => later(() => to.writable && to.write(part)));
  from.on('end', () => later(() => to.end()));
  from.on('error', () => to.destroy());
  from.on('close', () => later(() => to.destroySoon()));
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface NameProxy {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * A proxy on loopback behind which production names lead to services of this machine, for programs that have no endpoint
 * setting and where no network namespace can be had. `targetOf` gives the address of the service; without one the name
 * is refused.
 */
export async function openNameProxy(targetOf: (host: string) => string | undefined): Promise<NameProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(502).end());
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('connect', (request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    const target = targetOf(new URL(`http://${request.url ?? ''}`).hostname);
    if (target === undefined) socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    else tunnel(socket, new URL(target));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function tunnel(socket: Socket, { hostname, port }: URL): void {
  const target = connect(Number(port), hostname, () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(target).pipe(socket);
  });
  target.on('error', () => socket.destroy());
  socket.on('close', () => target.destroy());
}

import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import type { NetConnectOpts, Server, Socket } from 'node:net';
import type { NamespaceProxyOptions } from './gateway.ts';

// The way into and out of a network namespace that has none: unix sockets, which belong to no network. Runs inside, and
// ends with the process that started it. What is sent to the addresses inside goes out to one socket. A CONNECT request to
// the other one opens a connection to that address inside.
const options = JSON.parse(process.argv[2] ?? '') as NamespaceProxyOptions;

for (const { address, port } of options.outbound.listenOn) {
  const server = createServer((socket) => join(socket, { path: options.outbound.socket }));
  server.listen(port, address);
  await once(server, 'listening');
}

const inbound = createHttpServer((_request, response) => response.writeHead(405).end());
inbound.on('connect', (request, socket: Socket, head: Buffer) => {
  const { hostname, port } = new URL(`tcp://${request.url ?? ''}`);
  const target = join(socket, { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port) });
  target.once('connect', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    target.write(head);
  });
});
await listen(inbound, options.inboundSocket);

async function listen(server: Server, path: string): Promise<void> {
  await rm(path, { force: true });
  server.listen(path);
  await once(server, 'listening');
}

/** Connects two sockets in both directions. If one is reset, so is the other. */
function join(socket: Socket, to: NetConnectOpts): Socket {
  const target = connect({ ...to, noDelay: true });
  socket.setNoDelay(true);
  socket.pipe(target).pipe(socket);
  socket.on('error', () => target.destroy()).on('close', () => target.destroy());
  target.on('error', () => resetSocket(socket)).on('close', () => socket.destroy());
  return target;
}

/** As close as possible to a refused connection: a unix socket has no reset. */
function resetSocket(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
  else socket.resetAndDestroy();
}

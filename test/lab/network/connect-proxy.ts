import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/**
 * A proxy, to be run inside a namespace: says `listening PORT`, then a line for each thing it is asked for. With the
 * argument `refuse` it lets nothing through. Ends with its standard input.
 */
const refuses = process.argv[2] === 'refuse';

const server = createServer((request, response) => {
  process.stdout.write(`${request.method ?? ''} ${request.url ?? ''}\n`);
  response.writeHead(502).end();
});
server.on('connect', (request, socket: Socket) => {
  process.stdout.write(`CONNECT ${request.url ?? ''}\n`);
  if (refuses) {
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    return;
  }
  const { hostname, port } = new URL(`http://${request.url ?? ''}`);
  const target = connect(Number(port || 80), hostname, () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(target).pipe(socket);
  });
  target.on('error', () => socket.destroy());
  socket.on('error', () => target.destroy());
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`listening ${String((server.address() as AddressInfo).port)}\n`);
process.stdin.resume();
await once(process.stdin, 'end');
server.closeAllConnections();
server.close();

import { readFileSync, writeSync } from 'node:fs';
import { connect } from 'node:tls';

// A program that starts as ours do and then says what it sees of the world, for the tests of that start.
const stdin = readFileSync(0, 'utf8');
const socket = connect({ host: '127.0.0.1', port: Number(process.env['PROBE_PORT']), servername: 'localhost' });
socket.once('secureConnect', () => finish('trusted'));
socket.once('error', (error: NodeJS.ErrnoException) => finish(error.code ?? 'no code'));

function finish(tls: string): void {
  const names = Object.keys(process.env).toSorted();
  writeSync(1, JSON.stringify({ names, argv0: process.argv0, args: process.argv.slice(2), stdin, tls }));
  socket.destroy();
}

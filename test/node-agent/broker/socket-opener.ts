import { spawnSync } from 'node:child_process';
import { readSync } from 'node:fs';
import { createServer } from 'node:net';

/**
 * Stands for systemd: it listens at a path without ever accepting, and starts a command on that socket for each byte on
 * standard input. The process id of each command comes on standard output. Everything blocks, so that this process
 * accepts no connection itself.
 */
const [path = '', ...command] = process.argv.slice(2);
const server = createServer().listen(path);
const { fd } = (server as unknown as { readonly _handle: { readonly fd: number } })._handle;
process.stdout.write('listening\n');
while (readSync(0, Buffer.alloc(1)) === 1) {
  const script = 'echo $$; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"';
  spawnSync('sh', ['-c', script, 'sh', ...command], { stdio: ['ignore', 'inherit', 'inherit', fd] });
  process.stdout.write('ended\n');
}
server.close();

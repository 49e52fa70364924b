import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, renameSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Variant } from '../harness/variant.ts';

const processCount = 50;

/** What so many front ends take together at their peak, all of them waiting for a broker that does not answer. */
export async function measureConcurrentMemoryKb(frontEnd: Variant, socketPath: string): Promise<number> {
  const aside = `${socketPath}.aside`;
  renameSync(socketPath, aside);
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: false });
  let received = 0;
  const all = new Promise<void>((resolve) => {
    server.on('connection', (socket) => {
      socket.on('error', () => {}).resume();
      socket.on('end', () => {
        received += 1;
        if (received === processCount) resolve();
      });
    });
  });
  server.listen(socketPath);
  await once(server, 'listening');
  const processes = Array.from({ length: processCount }, () => startFrontEnd(frontEnd));
  try {
    await all;
    return processes.reduce((sum, { pid }) => sum + peakRssKb(pid), 0);
  } finally {
    for (const child of processes) child.kill('SIGKILL');
    server.close();
    renameSync(aside, socketPath);
  }
}

function startFrontEnd({ file, args, env, stdinFile }: Variant): ChildProcess {
  const stdin = openSync(stdinFile ?? '/dev/null', 'r');
  const child = spawn(file, args, { env, stdio: [stdin, 'ignore', 'ignore'] });
  closeSync(stdin);
  return child;
}

/** Everything resident, though pages of the file are there once for all of them. */
function peakRssKb(processId: number | undefined): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1]);
}

import { mkdirSync, renameSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { Failure } from '../lib/failure.ts';
import { parseJson } from '../lib/json.ts';
import type { Log } from '../lib/log/log.ts';
import type { AgentStatus } from './status.ts';

/**
 * Whoever connects is told the status as JSON, and that is all. Whom the file system lets in may know it. Where the
 * socket cannot be made the agent does its work without.
 */
export async function serveStatus(path: string, status: () => AgentStatus, log: Log): Promise<() => Promise<void>> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(`${JSON.stringify(status())}\n`);
  });
  server.unref();
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Under its name only once it answers, over one that an earlier agent left; so no agent takes away another's.
    const temporaryPath = `${path}.${process.pid}`;
    await listen(server, temporaryPath);
    renameSync(temporaryPath, path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    log.error(`No status socket at ${path}`, { err: code, hint: 'without it `status` finds no agent' });
  }
  return () => {
    server.close();
    return Promise.resolve();
  };
}

function listen(server: ReturnType<typeof createServer>, path: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  server.once('error', reject);
  server.listen(path, () => resolve(undefined));
  return promise;
}

const longestWaitMs = 5_000;

/** Asks the agent that runs on this machine. */
export async function askStatus(path: string): Promise<AgentStatus> {
  const socket = connect(path);
  socket.setTimeout(longestWaitMs, () => socket.destroy(new Error('timeout')));
  try {
    const response = parseJson(await text(socket));
    if (typeof response === 'object' && response !== null && 'node' in response) return response as AgentStatus;
  } catch (cause) {
    throw new Failure('unavailable', `no agent answers at ${path}`, {
      remedy: 'see whether it runs, and give --status-socket as it was given to it',
      cause,
    });
  }
  throw new Failure('invalid-response', `something else than our agent answers at ${path}`, {
    remedy: 'give --status-socket as it was given to the agent',
  });
}

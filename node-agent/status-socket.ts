import { mkdirSync, renameSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { Failure } from '../lib/failure.ts';
import { parseJson } from '../lib/json.ts';
import type { Log } from '../lib/log/log.ts';
import type { AgentStatus } from './status.ts';

/**
 * Sends the status as JSON to every client that connects. File permissions decide who can connect. If the socket cannot
 * be created, the agent runs without it.
 */
export async function serveStatus(path: string, status: () => AgentStatus, log: Log): Promise<() => Promise<void>> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(`${JSON.stringify(status())}\n`);
  });
  server.unref();
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Renamed when it listens. The rename replaces the socket of an earlier agent, which then does not remove this one.
    const temporaryPath = `${path}.${process.pid}`;
    await listen(server, temporaryPath);
    renameSync(temporaryPath, path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    log.error(`No status socket at ${path}`, { err: code, hint: 'without it `status` cannot reach the agent' });
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
      remedy: 'check that the agent runs, and use its --status-socket',
      cause,
    });
  }
  throw new Failure('invalid-response', `what answers at ${path} is not the agent`, {
    remedy: 'use the --status-socket of the agent',
  });
}

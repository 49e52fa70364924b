import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createControlPlanePool } from './pool.ts';
import type { ControlPlanePool } from './pool.ts';

/** Where a process asks for a control plane. */
export const poolSocketVariable = 'POLYCLOUD_TEST_CONTROL_PLANES';

/** The response, as a line of JSON: the control plane, or why there is none. */
export type PoolReply = { readonly url: string; readonly directory: string } | { readonly error: string };

/** The last message of a test process without a problem. Without it, the process had a problem. */
export const releaseMessage = 'all is well';

export interface PoolServer {
  readonly socketPath: string;
  /** Stops the control planes too. */
  stop(): Promise<void>;
}

/** Lends control planes to other processes, each for as long as a connection lasts. None is started before it is needed. */
export async function startPoolServer(log: (line: string) => void): Promise<PoolServer> {
  const pool = createControlPlanePool(log);
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-lender-'));
  const socketPath = join(directory, 'socket');
  const server = createServer({ allowHalfOpen: true }, (socket) => void serveControlPlane(pool, socket));
  server.listen(socketPath);
  await once(server, 'listening');
  return {
    socketPath,
    stop: async () => {
      server.close();
      await pool.stop();
      await rm(directory, { recursive: true });
    },
  };
}

async function serveControlPlane(pool: ControlPlanePool, socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  const message = text(socket).catch(() => '');
  try {
    const plane = await pool.acquire();
    const { url, directory } = plane;
    socket.write(`${JSON.stringify({ url, directory } satisfies PoolReply)}\n`);
    if ((await message) === releaseMessage) pool.release(plane);
    else await pool.discard(plane);
  } catch (error) {
    socket.write(`${JSON.stringify({ error: String(error) } satisfies PoolReply)}\n`);
  }
  socket.end();
}

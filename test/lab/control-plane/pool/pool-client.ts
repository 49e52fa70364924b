import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createConnection } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openCertificates } from '../certificates.ts';
import { findPrograms } from '../find-programs.ts';
import { certificatesOf, openSharedControlPlane } from '../shared.ts';
import type { SharedControlPlane } from '../shared.ts';
import { logsOf } from '../work-directory.ts';
import { releaseMessage } from './pool-server.ts';
import type { PoolReply } from './pool-server.ts';

export interface PooledControlPlane extends SharedControlPlane {
  /** Once all is ended that speaks to it. */
  release(): Promise<void>;
  /** For when something went wrong: the next one gets another, and the logs stay. */
  discard(): Promise<void>;
}

export async function acquireControlPlane(socketPath: string): Promise<PooledControlPlane> {
  const found = await findPrograms();
  if (!found.available) throw new Error(found.reason);
  const socket = createConnection(socketPath);
  const reply = JSON.parse(await firstLine(socket)) as PoolReply;
  if ('error' in reply) throw new Error(`no control plane to borrow: ${reply.error}`);
  const { url, directory } = reply;
  const shared = await openSharedControlPlane(
    {
      url,
      certificates: openCertificates(certificatesOf(directory)),
      directory: await mkdtemp(join(directory, 'loan-')),
      logDirectory: logsOf(directory),
    },
    found.programs.kubectl,
  );
  // A test that forgets to give it back can end all the same.
  socket.unref();
  const end = async (word: string): Promise<void> => {
    socket.ref();
    const closed = once(socket, 'close');
    socket.end(word);
    await closed;
  };
  return { ...shared, release: () => end(releaseMessage), discard: () => end('') };
}

async function firstLine(socket: Socket): Promise<string> {
  const lines = createInterface({ input: socket });
  const ended = once(lines, 'close').then(() => {
    throw new Error('the process that lends control planes has ended');
  });
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string];
  ended.catch(() => undefined);
  return line;
}

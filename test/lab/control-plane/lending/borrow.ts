import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createConnection } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openCertificates } from '../certificates.ts';
import { findPrograms } from '../find-programs.ts';
import { certificatesOf, openShared } from '../shared.ts';
import type { SharedControlPlane } from '../shared.ts';
import { logsOf } from '../work-directory.ts';
import { allWell } from './lend.ts';
import type { Loan } from './lend.ts';

export interface BorrowedControlPlane extends SharedControlPlane {
  /** Once all is ended that speaks to it. */
  giveBack(): Promise<void>;
  /** For when something went wrong: the next one gets another, and the logs stay. */
  throwAway(): Promise<void>;
}

export async function borrowControlPlane(socketPath: string): Promise<BorrowedControlPlane> {
  const found = await findPrograms();
  if (!found.available) throw new Error(found.reason);
  const socket = createConnection(socketPath);
  const loan = JSON.parse(await firstLine(socket)) as Loan;
  if ('error' in loan) throw new Error(`no control plane to borrow: ${loan.error}`);
  const { url, directory } = loan;
  const shared = await openShared(
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
  return { ...shared, giveBack: () => end(allWell), throwAway: () => end('') };
}

async function firstLine(socket: Socket): Promise<string> {
  const lines = createInterface({ input: socket });
  const ended = once(lines, 'close').then(() => {
    throw new Error('whoever lends control planes has gone');
  });
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string];
  ended.catch(() => undefined);
  return line;
}

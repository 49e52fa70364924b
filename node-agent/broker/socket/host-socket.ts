import { promises as files } from 'node:fs';
import { dirname, join } from 'node:path';
import { hostSocketName } from '../../../schemas/broker.ts';
import { hasInode, isListening, putInPlace, removeSocket } from './socket-directory.ts';

/** Where the broker of the host listens, beside the path that front ends connect to. */
export function hostSocketOf(socketPath: string): string {
  return join(dirname(socketPath), hostSocketName);
}

/**
 * Makes the path that front ends connect to a hard link to the socket of the host's broker, if anything listens there.
 * Returns whether it does. In one step, so that a front end finds one broker or the other at every moment.
 */
export async function linkHostSocket(socketPath: string): Promise<boolean> {
  const hostPath = hostSocketOf(socketPath);
  if (!(await isListening(hostPath))) return false;
  const { ino } = await files.lstat(hostPath, { bigint: true });
  if (await hasInode(socketPath, ino)) return true;
  const temporaryPath = `${socketPath}.link.${process.pid}`;
  await files.rm(temporaryPath, { force: true });
  await files.link(hostPath, temporaryPath);
  await putInPlace(temporaryPath, socketPath);
  // A rename onto another link to the same file leaves both.
  await files.rm(temporaryPath, { force: true });
  return true;
}

/** Before the broker of the host closes its socket. The path of another broker stays. */
export async function unlinkHostSocket(socketPath: string): Promise<void> {
  const stats = await files.lstat(hostSocketOf(socketPath), { bigint: true }).catch(() => undefined);
  if (stats !== undefined) await removeSocket(socketPath, stats.ino);
}

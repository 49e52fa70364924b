import { promises as files } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../../lib/failure.ts';

const ownersAlone = 0o700;
const permissionBits = 0o7777;

/** A directory that only root can look into: whoever can reach the socket gets the node's logins. */
export async function makeSocketDirectory(socketPath: string, owner: number): Promise<void> {
  const directory = dirname(socketPath);
  await files.mkdir(directory, { recursive: true, mode: ownersAlone }).catch((cause: unknown) => {
    throw unusable(directory, 'cannot be made', cause);
  });
  const found = await files.lstat(directory);
  if (!found.isDirectory()) throw unusable(directory, 'is no directory, or a link to one', undefined);
  if (found.uid !== owner) throw unusable(directory, `belongs to user ${found.uid}`, undefined);
  if ((found.mode & permissionBits) !== ownersAlone) await files.chmod(directory, ownersAlone);
}

/** In one step, so that there is no moment without a socket while one agent follows another; gives which file it is. */
export async function putInPlace(unfinished: string, socketPath: string): Promise<bigint> {
  await files.rename(unfinished, socketPath);
  return (await files.lstat(socketPath, { bigint: true })).ino;
}

/** Not the one that the next agent has put there in the meantime. */
export async function removeSocket(socketPath: string, own: bigint): Promise<void> {
  const found = await files.lstat(socketPath, { bigint: true }).catch(() => undefined);
  if (found?.ino === own) await files.rm(socketPath, { force: true });
}

function unusable(directory: string, what: string, cause: unknown): Failure {
  return new Failure('misconfigured', `the directory of the broker's socket, ${directory}, ${what}`, {
    remedy: 'remove it; the agent makes it, for root alone',
    cause,
  });
}

import { promises as files } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { Failure } from '../../../lib/failure.ts';

const ownerOnly = 0o700;
const permissionBits = 0o7777;

/** A directory that only root can enter: every process that can reach the socket gets the node's logins. */
export async function makeSocketDirectory(socketPath: string, owner: number): Promise<void> {
  const directory = dirname(socketPath);
  const failed = (what: string) => (cause: unknown) => {
    throw unusable(directory, `${what} (${codeOf(cause)})`, cause);
  };
  await files
    .mkdir(directory, { recursive: true, mode: ownerOnly })
    // On a read-only file system the recursive mkdir of Node.js fails with ENOENT.
    .catch(() => files.mkdir(directory, { mode: ownerOnly }))
    .catch(failed('cannot be created'));
  const stats = await files.lstat(directory).catch(failed('cannot be read'));
  if (!stats.isDirectory()) throw unusable(directory, 'is not a directory, or is a link to one', undefined);
  if (stats.uid !== owner) throw unusable(directory, `belongs to user ${stats.uid}`, undefined);
  if ((stats.mode & permissionBits) === ownerOnly) return;
  await files.chmod(directory, ownerOnly).catch(failed('cannot be given mode 0700'));
}

/** In one step, so that a socket exists at every moment while one agent replaces another. Returns its inode. */
export async function putInPlace(temporaryPath: string, socketPath: string): Promise<bigint> {
  const { ino } = await files.lstat(temporaryPath, { bigint: true });
  await files.rename(temporaryPath, socketPath);
  return ino;
}

/** Leaves the socket that the next agent may have put there in the meantime. */
export async function removeSocket(socketPath: string, inode: bigint): Promise<void> {
  if (await hasInode(socketPath, inode)) await files.rm(socketPath, { force: true });
}

export async function hasInode(socketPath: string, inode: bigint): Promise<boolean> {
  const stats = await files.lstat(socketPath, { bigint: true }).catch(() => undefined);
  return stats?.ino === inode;
}

/** Does any process listen at the path? */
export function isListening(socketPath: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(socketPath);
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

function unusable(directory: string, what: string, cause: unknown): Failure {
  return new Failure('misconfigured', `the directory of the broker's socket, ${directory}, ${what}`, {
    remedy: remedies.get(codeOf(cause)) ?? 'remove it; the agent creates it for root only',
    cause,
  });
}

const remedies: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'free space on its file system'],
  ['EROFS', 'mount it writable into the pod'],
]);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

import { access, chmod, copyFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Failure } from '../lib/failure.ts';

/**
 * Copies the credential provider and its front end, each in one step: a kubelet or an installer never sees half a file.
 * Needs no right but to write to the directory. Returns the paths of the copies.
 */
export async function copyPrograms(program: string, directory: string): Promise<readonly string[]> {
  const frontEnd = `${program}-front`;
  await refuseMissing(frontEnd, 'start it in the image, or in the directory of the unpacked archive');
  if (!(await isDirectory(directory))) {
    throw new Failure('misconfigured', `${directory} is not a directory`, { remedy: 'mount a volume there' });
  }
  const copies: string[] = [];
  for (const source of [program, frontEnd]) copies.push(await copyExecutable(source, directory));
  return copies;
}

async function refuseMissing(file: string, remedy: string): Promise<void> {
  try {
    await access(file);
  } catch (cause) {
    throw new Failure('misconfigured', `${file} is not there`, { remedy, cause });
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

async function copyExecutable(source: string, directory: string): Promise<string> {
  const target = join(directory, basename(source));
  const unfinished = `${target}.unfinished`;
  try {
    await rm(unfinished, { force: true });
    await copyFile(source, unfinished);
    await chmod(unfinished, 0o755);
    await rename(unfinished, target);
    return target;
  } catch (cause) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    const code = (cause as NodeJS.ErrnoException).code ?? 'error';
    throw new Failure('misconfigured', `${target} cannot be written (${code})`, { remedy: remedyFor(code), cause });
  }
}

function remedyFor(code: string): string {
  if (code === 'ENOSPC') return 'make room for 120 MB there';
  return 'use a directory that this user can write to';
}

import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Makes a directory for this process alone, below `parent` so that what is finished there is moved to its place in one
 * step. Those that killed processes left behind are removed: they may hold hundreds of megabytes.
 */
export async function makeWorkDirectory(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  for (const name of await readdir(parent)) {
    const processId = Number(pattern.exec(name)?.groups?.['processId']);
    if (!Number.isNaN(processId) && !isAlive(processId)) await rm(join(parent, name), { recursive: true, force: true });
  }
  const directory = join(parent, `.work-${process.pid}`);
  await mkdir(directory);
  return directory;
}

const pattern = /^\.work-(?<processId>\d+)$/;

function isAlive(processId: number): boolean {
  if (processId === process.pid) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

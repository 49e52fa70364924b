import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Creates a directory for this process below `parent`, so that finished files can be moved to their destination with a
 * rename. Removes the directories of killed processes: they can contain hundreds of megabytes.
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

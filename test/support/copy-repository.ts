import { existsSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { projectDirectory } from '../../build/project.ts';
import { runOrThrow } from '../../build/run.ts';

/** Copies the files that Git knows or would add, and links to the installed packages. */
export async function copyRepository(target: string): Promise<void> {
  const list = ['ls-files', '-co', '--exclude-standard', '-z'];
  const printed = await runOrThrow('git', list, { cwd: projectDirectory, stdin: '' });
  // Git still lists what was removed from the work tree a moment ago.
  const isThere = (path: string): boolean => path !== '' && existsSync(join(projectDirectory, path));
  for (const path of printed.split('\0').filter(isThere)) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await cp(join(projectDirectory, path), join(target, path));
  }
  await symlink(join(projectDirectory, 'node_modules'), join(target, 'node_modules'));
}

import { existsSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Architecture } from '../architecture.ts';

/**
 * Puts Node below `home` as pkg does after a download, so that it downloads nothing: archive and executable, each with
 * the marker of a complete download. The archive is never opened, so it is empty.
 */
export async function fillPkgHome(home: string, nodes: Readonly<Partial<Record<Architecture, string>>>): Promise<void> {
  for (const [arch, node] of Object.entries(nodes)) {
    const release = join(home, '.pkg-cache/sea', `node-v${process.versions.node}-linux-${arch}`);
    const executable = join(release, 'bin/node');
    await mkdir(join(release, 'bin'), { recursive: true });
    if (existsSync(executable)) await rm(executable);
    await symlink(node, executable);
    for (const mark of [`${executable}.ok`, `${release}.tar.gz`, `${release}.tar.gz.ok`]) await writeFile(mark, '');
  }
}

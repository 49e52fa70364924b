import { existsSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Architecture } from '../architecture.ts';
import { addBeforeNode } from './before-node.ts';
import { bundle } from './bundle.ts';
import { commandPrefix, emulationPackages } from './emulation.ts';
import { nodeExecutable } from './node-package.ts';
import { strippedNode } from './stripped-node.ts';

/** What all executables of one build share. */
export interface BuildContext {
  /** A directory for this build, on the file system of the executables. */
  readonly directory: string;
  /** Files in it: the bundled `start/executable.ts` and `start/training.ts`. */
  readonly start: string;
  readonly training: string;
  /** The home directory in which pkg finds Node. */
  readonly pkgHome: string;
  /** The Node that goes into the executable, by architecture. */
  readonly nodes: Readonly<Partial<Record<Architecture, string>>>;
  /** Code caches of an earlier build of the same commit, below `linux-ARCH/PROGRAM`. Absent: training runs make them. */
  readonly codeCaches?: string;
}

export async function createBuildContext(
  directory: string,
  architectures: readonly Architecture[],
  log: (line: string) => void,
): Promise<BuildContext> {
  const start = join(directory, 'start.cjs');
  const training = join(directory, 'training.cjs');
  await writeFile(start, await bundle('build/executables/start/executable.ts'));
  await writeFile(training, await bundle('build/executables/start/training.ts'));
  const nodes: Partial<Record<Architecture, string>> = {};
  for (const arch of architectures) {
    const stripped = await strippedNode(await nodeExecutable(arch, log), arch, log);
    nodes[arch] = await addBeforeNode(stripped, arch, log);
  }
  const pkgHome = join(directory, 'home');
  await fillPkgHome(pkgHome, nodes);
  for (const arch of architectures.filter((candidate) => commandPrefix(candidate) === undefined)) {
    const packages = emulationPackages(arch).join(' ');
    log(`${arch}: cannot run here, so it has no code cache and starts slower; hint: install ${packages} (Debian)`);
  }
  return { directory, start, training, pkgHome, nodes };
}

/**
 * Puts Node below `home` as pkg does after a download, so that it downloads nothing: archive and executable, each with
 * the marker of a complete download. The archive is never opened, so it is empty.
 */
async function fillPkgHome(home: string, nodes: Readonly<Partial<Record<Architecture, string>>>): Promise<void> {
  for (const [arch, node] of Object.entries(nodes)) {
    const release = join(home, '.pkg-cache/sea', `node-v${process.versions.node}-linux-${arch}`);
    const executable = join(release, 'bin/node');
    await mkdir(join(release, 'bin'), { recursive: true });
    if (existsSync(executable)) await rm(executable);
    await symlink(node, executable);
    for (const mark of [`${executable}.ok`, `${release}.tar.gz`, `${release}.tar.gz.ok`]) await writeFile(mark, '');
  }
}

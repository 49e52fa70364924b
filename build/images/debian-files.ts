import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Architecture } from '../architecture.ts';
import { findProgram } from '../executables/emulation.ts';
import { runOrThrow } from '../run.ts';

/** All that our executables need: C and C++ libraries, and certificate authorities. */
const packages = ['ca-certificates', 'libc6', 'libgcc-s1', 'libstdc++6'];

export interface DebianFiles {
  /** The packages, unpacked. */
  readonly root: string;
  /** For example `libc6 2.36-9`; sorted. */
  readonly versions: readonly string[];
}

/** Why this machine cannot build images; `undefined` if it can. */
export function imageObstacle(): string | undefined {
  const missing = ['apt-get', 'dpkg-deb'].filter((name) => findProgram(name) === undefined);
  return missing.length === 0 ? undefined : `images take libraries of Debian, and ${missing.join(' and ')} is not here`;
}

/**
 * Downloads the newest Debian packages of an architecture from the sources of this machine, checked with its keys. apt
 * works in the directory, so that it neither uses nor changes the packages and architectures of this machine.
 */
export async function fetchDebianFiles(arch: Architecture, directory: string): Promise<DebianFiles> {
  const workDirectory = join(directory, `debian-${arch}`);
  const [downloads, root, state] = [
    join(workDirectory, 'downloads'),
    join(workDirectory, 'root'),
    join(workDirectory, 'state'),
  ];
  for (const each of [downloads, root, join(state, 'lists/partial'), join(workDirectory, 'cache/archives/partial')]) {
    await mkdir(each, { recursive: true });
  }
  await writeFile(join(workDirectory, 'status'), '');
  const options = aptOptions(arch, workDirectory);
  const settings = { env: { ...process.env, LC_ALL: 'C' }, stdin: '' };
  await runOrThrow('apt-get', [...options, 'update'], settings);
  await runOrThrow('apt-get', [...options, 'download', ...packages], { ...settings, cwd: downloads });
  for (const name of await readdir(downloads)) {
    await runOrThrow('dpkg-deb', ['--extract', join(downloads, name), root], settings);
  }
  return { root, versions: (await readdir(downloads)).map(packageVersion).toSorted() };
}

function aptOptions(arch: Architecture, workDirectory: string): readonly string[] {
  const debian = { x64: 'amd64', arm64: 'arm64' }[arch];
  const settings: Readonly<Record<string, string>> = {
    'APT::Architecture': debian,
    'APT::Architectures': debian,
    // A user that may write to this directory.
    'APT::Sandbox::User': 'root',
    'Dir::State': join(workDirectory, 'state'),
    'Dir::State::status': join(workDirectory, 'status'),
    'Dir::Cache': join(workDirectory, 'cache'),
  };
  return ['-q', ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
}

/** Files are named like `libc6_2.36-9_amd64.deb`, with colons as %3a. */
function packageVersion(file: string): string {
  const [name = '', version = ''] = file.split('_');
  return `${name} ${decodeURIComponent(version)}`;
}

/** The first path that exists: the merged /usr of Debian moved some files. */
export function firstExisting(root: string, paths: readonly string[]): string {
  const found = paths.map((path) => join(root, path)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`none of ${paths.join(', ')} is in Debian's packages`);
  return found;
}

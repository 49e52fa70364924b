import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runOrThrow } from '../../../build/run.ts';
import { insideRoot } from './inside-root.ts';

export interface DebianPackages {
  /** Of the distribution; it need not be the machine's. */
  readonly suite: string;
  readonly packages: readonly string[];
  /** Where a root file system with them is made. */
  readonly root: string;
  /** For apt, which neither uses nor changes the packages of this machine. It is removed at the end. */
  readonly workDirectory: string;
}

/** Downloads packages with their dependencies, checked with Debian's keys, and unpacks them. Runs none of their scripts. */
export async function unpackDebianPackages(wanted: DebianPackages): Promise<void> {
  const archives = await download(wanted);
  await unpack(archives, wanted.root);
  await rm(wanted.workDirectory, { recursive: true });
}

const settings = { env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' }, stdin: '' };

async function download({ suite, packages, workDirectory }: DebianPackages): Promise<string> {
  const archives = join(workDirectory, 'cache', 'archives');
  for (const each of [join(archives, 'partial'), join(workDirectory, 'state/lists/partial')]) {
    await mkdir(each, { recursive: true });
  }
  // No package is installed there: apt resolves every dependency.
  await writeFile(join(workDirectory, 'status'), '');
  const options = aptOptions(workDirectory);
  await runOrThrow('apt-get', [...options, 'update'], settings);
  const sources = join(workDirectory, 'lab.sources');
  await writeFile(sources, sourcesOf(await findMirror(options), suite));
  const fromSuite = ['-o', `Dir::Etc::SourceList=${sources}`, '-o', 'Dir::Etc::SourceParts=/dev/null'];
  const noPins = ['-o', 'Dir::Etc::PreferencesParts=/dev/null', '-o', 'Dir::Etc::Preferences=/dev/null'];
  const always = [...options, ...fromSuite, ...noPins];
  await runOrThrow('apt-get', [...always, 'update'], settings);
  const install = ['install', '--yes', '--download-only', '--no-install-recommends'];
  await runOrThrow('apt-get', [...always, ...install, ...packages], settings);
  return archives;
}

function aptOptions(workDirectory: string): readonly string[] {
  const values: Readonly<Record<string, string>> = {
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Dir::State': join(workDirectory, 'state'),
    'Dir::State::status': join(workDirectory, 'status'),
    'Dir::Cache': join(workDirectory, 'cache'),
  };
  return ['-q', ...Object.entries(values).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
}

/** The address from which this machine gets Debian itself. */
async function findMirror(options: readonly string[]): Promise<string> {
  const filter = ['Created-By: Packages', 'Origin: Debian', 'Label: Debian'];
  const listed = await runOrThrow(
    'apt-get',
    [...options, 'indextargets', '--format', '$(REPO_URI)', ...filter],
    settings,
  );
  const [mirror] = listed.split('\n');
  if (mirror === undefined || mirror === '') throw new Error('apt knows no mirror of Debian here');
  return mirror;
}

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

function sourcesOf(mirror: string, suite: string): string {
  const signedBy = existsSync(keyring) ? [`Signed-By: ${keyring}`] : [];
  return ['Types: deb', `URIs: ${mirror}`, `Suites: ${suite}`, 'Components: main', ...signedBy, ''].join('\n');
}

async function unpack(archives: string, root: string): Promise<void> {
  await mkdir(join(root, 'usr'), { recursive: true });
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) await symlink(`usr/${name}`, join(root, name));
  for (const name of await readdir(archives)) {
    if (name.endsWith('.deb')) await runOrThrow('dpkg-deb', ['--extract', join(archives, name), root], settings);
  }
  for (const name of ['doc', 'locale', 'man']) {
    await rm(join(root, 'usr/share', name), { recursive: true, force: true });
  }
  await replaceInstallScripts(root);
}

/** What the scripts of the packages would have done, as far as the services need it. */
async function replaceInstallScripts(root: string): Promise<void> {
  await writeFile(join(root, 'etc/passwd'), 'root:x:0:0:root:/tmp:/bin/sh\n');
  await writeFile(join(root, 'etc/group'), 'root:x:0:\n');
  const authorities = join(root, 'usr/share/ca-certificates/mozilla');
  const bundle = join(root, 'etc/ssl/certs/ca-certificates.crt');
  await mkdir(join(root, 'etc/ssl/certs'), { recursive: true });
  for (const name of await readdir(authorities)) await appendFile(bundle, await readFile(join(authorities, name)));
  const compile = ['python3', '-m', 'compileall', '-q', '-j', '2', '/usr/lib/python3/dist-packages'];
  const { file, args } = insideRoot({ root, work: root }, compile);
  // A module for another version of Python does not compile, and is not used.
  await runOrThrow('/bin/sh', ['-c', '"$@" || true', 'sh', file, ...args], settings);
}

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundledFiles } from '../executables/bundle.ts';
import { programs } from '../executables/programs.ts';
import { projectDirectory } from '../project.ts';

/** An npm package with code in an executable. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly licence: string;
  readonly licenceText: string;
  /** As in package-lock.json. */
  readonly integrity: string;
  /** The executables that contain it. */
  readonly programs: readonly string[];
}

/** The packages of all executables, sorted by name and version. */
export async function readBundledPackages(): Promise<readonly BundledPackage[]> {
  const users = new Map<string, string[]>();
  for (const { name, main } of programs) {
    for (const directory of new Set((await bundledFiles(main)).flatMap(packageDirectory))) {
      users.set(directory, [...(users.get(directory) ?? []), name]);
    }
  }
  const lockfile = JSON.parse(await readFile(join(projectDirectory, 'package-lock.json'), 'utf8')) as Lockfile;
  const packages = [...users].map(([directory, usedBy]) => readPackage(directory, usedBy, lockfile));
  return (await Promise.all(packages)).toSorted((a, b) =>
    `${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1,
  );
}

/** `node_modules/@scope/name/dist/file.js` is in `node_modules/@scope/name`; our own files are in none. */
function packageDirectory(file: string): readonly string[] {
  const found = /^(?<directory>(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.groups?.['directory'];
  return found === undefined ? [] : [found];
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly integrity?: string } | undefined>>;
}

async function readPackage(directory: string, usedBy: readonly string[], lockfile: Lockfile): Promise<BundledPackage> {
  const path = join(projectDirectory, directory);
  const manifest = JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { name, version, license: licence } = manifest;
  const integrity = lockfile.packages[directory]?.integrity;
  if (typeof name !== 'string' || typeof version !== 'string' || typeof licence !== 'string') {
    throw new TypeError(`${directory}/package.json lacks a name, a version or a licence`);
  }
  if (integrity === undefined) throw new Error(`package-lock.json has no hash of ${directory}`);
  return { name, version, licence, licenceText: await readLicenceText(path), integrity, programs: usedBy };
}

/** A licence has to be distributed with the software, so a package without its text cannot be released. */
async function readLicenceText(directory: string): Promise<string> {
  const names = await readdir(directory);
  const file = names.find((name) => /^licen[cs]e(?:\.md|\.txt)?$/i.test(name));
  if (file !== undefined) return await readFile(join(directory, file), 'utf8');
  const readme = join(directory, 'README.md');
  const section = existsSync(readme) ? /\nLicense\n-+\n(?<text>[^]+)/.exec(await readFile(readme, 'utf8')) : null;
  const text = section?.groups?.['text'];
  if (text === undefined) throw new Error(`${directory} has no text of its licence`);
  return text;
}

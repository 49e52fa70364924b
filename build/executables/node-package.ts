import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Architecture } from '../architecture.ts';
import { cacheDirectory } from '../cache-directory.ts';
import { projectDirectory } from '../project.ts';
import { runOrThrow } from '../run.ts';

/**
 * The path of the official Node of the pinned version for an architecture. npm installs only the machine's own; the other
 * comes from the same registry, is checked against the same lockfile, and is cached.
 */
export async function nodeExecutable(arch: Architecture, log: (line: string) => void): Promise<string> {
  const name = `node-linux-${arch}`;
  const installed = join(projectDirectory, 'node_modules', name, 'bin/node');
  if (existsSync(installed)) return installed;
  const { version, integrity } = await lockedPackage(name);
  const kept = join(cacheDirectory(`${name}-${version}`), 'node');
  if (existsSync(kept)) return kept;
  log(`fetching ${name} ${version} with npm; it is kept for next time`);
  await fetchInto(kept, `${name}@${version}`, integrity);
  return kept;
}

async function lockedPackage(name: string): Promise<{ readonly version: string; readonly integrity: string }> {
  const lockfile = JSON.parse(await readFile(join(projectDirectory, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { version: string; integrity: string } | undefined>>;
  };
  const locked = lockfile.packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`package-lock.json does not name ${name}`);
  return locked;
}

/** It gets its final name only when it is complete and checked. */
async function fetchInto(file: string, specifier: string, integrity: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-node-'));
  try {
    const options = { cwd: directory, env: process.env, stdin: '' };
    const printed = await runOrThrow('npm', ['pack', '--silent', specifier], options);
    const archive = join(directory, printed.trim());
    const found = `sha512-${createHash('sha512')
      .update(await readFile(archive))
      .digest('base64')}`;
    if (found !== integrity) throw new Error(`${specifier} is ${found}, and package-lock.json asks for ${integrity}`);
    await runOrThrow('tar', ['-xzf', archive, 'package/bin/node'], options);
    await mkdir(dirname(file), { recursive: true });
    const unfinished = `${file}.${randomUUID()}`;
    await runOrThrow('cp', ['package/bin/node', unfinished], options);
    await rename(unfinished, file);
  } finally {
    await rm(directory, { recursive: true });
  }
}

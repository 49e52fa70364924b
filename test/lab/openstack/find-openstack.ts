import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheDirectory } from '../../../build/cache-directory.ts';
import { withLock } from '../../../build/go-programs/build-lock.ts';
import { namespaceSupport } from '../network/support.ts';
import type { Support } from '../requires.ts';
import { createDatabases } from './databases.ts';
import { unpackDebianPackages } from './debian-packages.ts';

export type FoundOpenStack = Support & {
  /** A Debian root file system with the services in it. */
  readonly root: string;
  /** Their settings, keys and databases as they are before the first start: to be copied. */
  readonly template: string;
};

/** What was prepared before. Prepares nothing. */
export async function findOpenStack(): Promise<FoundOpenStack> {
  const support = await namespaceSupport();
  if (!support.available) return { ...files, ...support };
  if (existsSync(directory)) return { ...files, available: true };
  return {
    ...files,
    available: false,
    reason: `OpenStack is missing: \`npm test -- test/long/openstack\` prepares it`,
  };
}

/** The same, and it is downloaded and set up if it is missing, which takes about two minutes, once. */
export async function prepareOpenStack(log: (line: string) => void): Promise<FoundOpenStack> {
  const support = await namespaceSupport();
  if (!support.available) return { ...files, ...support };
  try {
    await mkdir(dirname(directory), { recursive: true });
    const wait = { retryAfterMs: 500, sayEveryMs: 10_000, say: log };
    await withLock(`${directory}.lock`, wait, () => prepareIfMissing(log));
    return { ...files, available: true };
  } catch (error) {
    const reason = `OpenStack takes Debian packages (suite ${suite}) from the mirror of this machine once`;
    return { ...files, available: false, reason: `${reason}: ${(error as Error).message}` };
  }
}

/**
 * Debian 13 has OpenStack 2025.1: Keystone 27, Nova 31, Neutron 26. The number at the end of the name changes with what
 * is made of the packages here.
 */
const suite = 'trixie';
const directory = cacheDirectory('openstack-2025.1-debian-13-1', `linux-${process.arch}`);
const files = { root: join(directory, 'root'), template: join(directory, 'template') };

/** Debian leaves out of the dependencies what every installation has: dash, coreutils and grep are such. */
const packages = ['keystone', 'nova-api', 'neutron-server', 'dash', 'coreutils', 'grep'];

async function prepareIfMissing(log: (line: string) => void): Promise<void> {
  if (existsSync(directory)) return;
  const unfinished = `${directory}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const root = join(unfinished, 'root');
  log(`downloading ${packages.join(', ')} with their dependencies from Debian ${suite}`);
  await unpackDebianPackages({ suite, packages, root, workDirectory: join(unfinished, 'apt') });
  log('creating the databases of OpenStack');
  await createDatabases(root, join(unfinished, 'template'));
  // Only a whole one ever has the final name.
  await rename(unfinished, directory);
}

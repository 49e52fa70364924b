import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { hostArchitecture } from '../../../build/architecture.ts';
import { prepareNfpm } from '../../../build/release/find-nfpm.ts';
import { makeLinuxPackages } from '../../../build/release/linux-packages.ts';
import type { Support } from '../../lab/requires.ts';

let nfpm = '';

/** Whether packages can be made here. */
export async function packageSupport(): Promise<Support> {
  try {
    nfpm = await prepareNfpm(() => {});
    return { available: true };
  } catch (error) {
    return { available: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** The packages of this machine's architecture, as a release has them; they end with the test. Their paths, by kind. */
export async function packagesFor(t: Test): Promise<Readonly<Record<'deb' | 'rpm', string>>> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-packages-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const workDirectory = join(directory, 'work');
  await mkdir(workDirectory);
  const facts = { version: '0.1.0', commit: '0'.repeat(40), createdAt: new Date('2026-01-01T00:00:00Z') };
  const options = { arch: hostArchitecture(), facts, notices: 'licences\n', nfpm, workDirectory, directory };
  const names = await makeLinuxPackages(options);
  const pathOf = (kind: string): string => join(directory, names.find((name) => name.endsWith(`.${kind}`)) ?? '');
  return { deb: pathOf('deb'), rpm: pathOf('rpm') };
}

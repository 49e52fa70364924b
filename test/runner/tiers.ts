import { globSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { projectDirectory } from '../../build/project.ts';

/** Tests that run together, after what they need was prepared. */
export interface Batch {
  readonly name: string;
  /** Test files, from the root of the project. */
  readonly files: readonly string[];
  /** How hard random tests try. */
  readonly rounds: number;
}

export const tierNames = ['unit', 'smoke', 'system', 'long'] as const;
export type TierName = (typeof tierNames)[number];

/** One round is what a person waits for. */
const fullRounds = 20;

/** The smoke tests are a part of the system tests. */
const folders: Readonly<Record<TierName, { readonly include: RegExp; rounds(isCi: boolean): number }>> = {
  unit: { include: /^test\/(?!system\/|long\/)/, rounds: (isCi) => (isCi ? fullRounds : 1) },
  smoke: { include: /^test\/system\/smoke\//, rounds: () => 1 },
  system: { include: /^test\/system\//, rounds: () => 1 },
  long: { include: /^test\/long\//, rounds: () => fullRounds },
};

/** The batches of the tiers, no file twice. Throws if there is no such tier. */
export function batchesOfTiers(names: readonly string[], isCi: boolean): readonly Batch[] {
  const files = testFilesIn('test');
  const tiers = tierNames.filter((name) => names.includes(name));
  const unknown = names.find((name) => !tierNames.some((tier) => tier === name));
  if (unknown !== undefined) throw new Error(`--tier ${unknown}: there are ${tierNames.join(', ')}`);
  const chosen = tiers.filter((name) => name !== 'smoke' || !tiers.includes('system'));
  return chosen.map((name) => {
    const { include, rounds } = folders[name];
    return { name, files: files.filter((file) => include.test(file)), rounds: rounds(isCi) };
  });
}

/** Named files, and folders, which stand for the tests in them. */
export function batchOfPaths(paths: readonly string[]): Batch {
  return { name: 'named', files: paths.flatMap(testFilesIn), rounds: 1 };
}

/** tap itself would run every file of a folder, also those that are no tests. */
function testFilesIn(path: string): readonly string[] {
  const absolute = resolve(projectDirectory, path);
  const fromRoot = relative(projectDirectory, absolute);
  if (!statSync(absolute).isDirectory()) return [fromRoot.startsWith('..') ? absolute : fromRoot];
  const files = globSync('**/*.test.ts', { cwd: absolute, exclude: (name) => name === '.tap' });
  return files.map((file) => join(fromRoot, file)).toSorted();
}

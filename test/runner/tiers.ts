import { globSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { projectDirectory } from '../../build/project.ts';

/** Tests that run together, after what they need was prepared. */
export interface TestBatch {
  readonly name: string;
  /** Test files, from the root of the project. */
  readonly files: readonly string[];
  /** How hard random tests try. */
  readonly rounds: number;
  /** Files at the same time. */
  readonly jobs: number;
  /** Added to what the tests see. */
  readonly env: Readonly<Record<string, string>>;
  /** Tells its files from the same ones in another batch. */
  readonly suffix: string;
}

export const tierNames = ['unit', 'smoke', 'system', 'long'] as const;
export type TierName = (typeof tierNames)[number];

/** One round is what a person waits for. */
const fullRounds = 20;

/** The machines this runs on have two cores. */
const defaultJobs = 2;
/** Most of the time a system test waits for a lease, a limit of time, or the next look of a controller. */
const systemJobs = 3;

interface Tier {
  readonly include: RegExp;
  readonly jobs: number;
  rounds(isCi: boolean): number;
}

/** The smoke tests are a part of the system tests. */
const folders: Readonly<Record<TierName, Tier>> = {
  unit: { include: /^test\/(?!system\/|long\/)/, jobs: defaultJobs, rounds: (isCi) => (isCi ? fullRounds : 1) },
  smoke: { include: /^test\/system\/smoke\//, jobs: defaultJobs, rounds: () => 1 },
  system: { include: /^test\/system\//, jobs: systemJobs, rounds: () => 1 },
  long: { include: /^test\/long\//, jobs: defaultJobs, rounds: () => fullRounds },
};

/** Asked a second time, through front end and broker: the answers have to be the same. */
const alsoThroughFrontEnd = /^test\/system\/programs\/[^/]+$/;

/** The batches of the tiers, no file twice but for those that ask a program in two ways. Throws if there is no such tier. */
export function batchesOfTiers(names: readonly string[], isCi: boolean): readonly TestBatch[] {
  const files = testFilesIn('test');
  const tiers = tierNames.filter((name) => names.includes(name));
  const unknown = names.find((name) => !tierNames.some((tier) => tier === name));
  if (unknown !== undefined) throw new Error(`--tier ${unknown}: there are ${tierNames.join(', ')}`);
  const chosen = tiers.filter((name) => name !== 'smoke' || !tiers.includes('system'));
  return chosen.flatMap((name) => {
    const { include, rounds, jobs } = folders[name];
    const batch = {
      name,
      files: files.filter((file) => include.test(file)),
      rounds: rounds(isCi),
      jobs,
      env: {},
      suffix: '',
    };
    return name === 'system' ? [batch, throughFrontEnd(batch)] : [batch];
  });
}

function throughFrontEnd(system: TestBatch): TestBatch {
  const files = system.files.filter((file) => alsoThroughFrontEnd.test(file));
  return { ...system, files, suffix: ', through the front end', env: { POLYCLOUD_TEST_FRONT_END: 'yes' } };
}

/** Named files, and folders, which stand for the tests in them. */
export function batchOfPaths(paths: readonly string[]): TestBatch {
  return { name: 'named', files: paths.flatMap(testFilesIn), rounds: 1, jobs: defaultJobs, env: {}, suffix: '' };
}

/** tap itself would run every file of a folder, also those that are no tests. */
function testFilesIn(path: string): readonly string[] {
  const absolute = resolve(projectDirectory, path);
  const fromRoot = relative(projectDirectory, absolute);
  if (!statSync(absolute).isDirectory()) return [fromRoot.startsWith('..') ? absolute : fromRoot];
  const files = globSync('**/*.test.ts', { cwd: absolute, exclude: (name) => name === '.tap' });
  return files.map((file) => join(fromRoot, file)).toSorted();
}

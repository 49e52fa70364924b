import { globSync } from 'node:fs';
import t from 'tap';
import { projectDirectory } from '../../build/project.ts';
import { batchesOfTiers, batchOfPaths } from './tiers.ts';

const all = globSync('test/**/*.test.ts', { cwd: projectDirectory }).toSorted();
const inSmoke = (file: string): boolean => file.startsWith('test/system/smoke/');

await t.test('the three tiers hold each test file once', async (t) => {
  const batches = batchesOfTiers(['unit', 'system', 'long'], true);
  const once = batches.filter(({ suffix }) => suffix === '');
  t.strictSame(once.flatMap(({ files }) => files).toSorted(), all);
  t.ok(batches.every(({ files }) => files.length > 0));
});

await t.test('the provider is asked once more through the front end, in the system tier', async (t) => {
  const again = batchesOfTiers(['unit', 'smoke', 'system', 'long'], true).filter(({ suffix }) => suffix !== '');
  t.match(again, [{ env: { POLYCLOUD_TEST_FRONT_END: 'yes' } }]);
  const files = again.flatMap((batch) => batch.files);
  t.ok(files.includes('test/system/programs/answers.test.ts'));
  t.ok(files.every((file) => /^test\/system\/programs\/[^/]+$/.test(file)));
  t.strictSame(
    batchesOfTiers(['smoke'], true).map(({ suffix }) => suffix),
    [''],
  );
});

await t.test('smoke tests are system tests, and run once', async (t) => {
  t.ok(batchesOfTiers(['smoke'], false).every(({ files }) => files.length > 0 && files.every(inSmoke)));
  t.strictSame(batchesOfTiers(['smoke', 'system'], false), batchesOfTiers(['system'], false));
});

await t.test('random tests try hard in the long tier, and in CI', async (t) => {
  const roundsOf = (isCi: boolean): readonly number[] =>
    batchesOfTiers(['unit', 'system', 'long'], isCi).map(({ rounds }) => rounds);
  t.strictSame(roundsOf(false), [1, 1, 1, 20]);
  t.strictSame(roundsOf(true), [20, 1, 1, 20]);
});

await t.test('a tier that does not exist is refused with those that do', async (t) => {
  t.throws(() => batchesOfTiers(['unit', 'integration'], false), /--tier integration: there are unit, smoke, system/);
});

await t.test('a folder stands for the tests in it', async (t) => {
  const folder = 'test/lib/config';
  const { files } = batchOfPaths([`./${folder}/`, 'test/run.ts']);
  t.strictSame(files, [...all.filter((file) => file.startsWith(`${folder}/`)), 'test/run.ts']);
});

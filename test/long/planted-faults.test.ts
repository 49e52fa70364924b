import { readdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { copyRepository } from '../support/copy-repository.ts';
import { findFault, runTest } from './planted-faults/find-fault.ts';
import type { PlantedFault } from './planted-faults/planted-fault.ts';

/** Each has a copy of the repository, since a fault is planted in its files. */
const faultsAtOnce = 2;
const unitTest = /^test\/(?!system\/|long\/)[\w./-]+\.test\.ts$/;

t.setTimeout(20 * 60_000);
const faults = await readFaults();
const copies = await Promise.all(Array.from({ length: faultsAtOnce }, makeCopy));

await t.test('there are faults, each with a name of its own and with unit tests', async (t) => {
  t.equal(new Set(faults.map(({ name }) => name)).size, faults.length);
  const others = faults.flatMap(({ tests }) => tests).filter((test) => !unitTest.test(test));
  t.strictSame(others, []);
});

await t.test('without a fault the tests pass', async (t) => {
  const files = [...new Set(faults.flatMap(({ tests }) => tests))];
  await sharedOut(files, async (copy, file) => {
    const { ending, output } = await runTest(copy, file);
    t.equal(ending, 'passed', file, { output: ending === 'passed' ? '' : output.slice(-2_000) });
  });
});

await t.test('the unit tests find each fault', async (t) => {
  t.jobs = faultsAtOnce;
  await sharedOut(faults, async (copy, fault) => {
    await t.test(fault.name, async (t) => t.strictSame(await findFault(copy, fault), []));
  });
});

await t.test(
  'a fault that no test notices, that breaks the syntax, or that cannot be planted is reported',
  async (t) => {
    const [copy = ''] = copies;
    const fault = {
      name: '',
      file: 'lib/retry.ts',
      tests: ['test/lib/json.test.ts'],
      find: 'export',
      replace: 'export',
    };
    t.match(await findFault(copy, { ...fault, find: 'no such text' }), [/holds the text to find 0 times/]);
    t.match(await findFault(copy, { ...fault, file: 'lib/json.ts', find: 'parseJson(', replace: 'parseJson((' }), [
      /does not run/,
    ]);
    t.match(await findFault(copy, { ...fault, file: 'lib/json.ts', find: 'parseJson(', replace: 'parseJson(' }), [
      /passes all the same/,
    ]);
  },
);

async function readFaults(): Promise<readonly PlantedFault[]> {
  const folder = join(import.meta.dirname, 'planted-faults');
  const tables = (await readdir(folder)).filter((name) => !['planted-fault.ts', 'find-fault.ts'].includes(name));
  const modules = tables.map(
    async (name) => (await import(join(folder, name))) as { plantedFaults: readonly PlantedFault[] },
  );
  return (await Promise.all(modules)).flatMap(({ plantedFaults }) => plantedFaults);
}

async function makeCopy(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'polycloud-planted-fault-'));
  t.teardown(() => rm(copy, { recursive: true }));
  await copyRepository(copy);
  return copy;
}

/** Hands the items to the copies, one at a time to each. */
async function sharedOut<Item>(
  items: readonly Item[],
  work: (copy: string, item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  await Promise.all(
    copies.map(async (copy) => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(copy, item);
    }),
  );
}

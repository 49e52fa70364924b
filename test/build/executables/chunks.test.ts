import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { bundle, bundleChunks } from '../../../build/executables/bundle.ts';
import type { Chunks } from '../../../build/executables/bundle.ts';
import { codeCacheName, train, writeChunks } from '../../../build/executables/code-cache.ts';
import { run } from '../../../build/run.ts';

const directory = t.testdir();
const training = join(directory, 'training.cjs');
await writeFile(training, await bundle('build/executables/start/training.ts'));
const probe = await bundleChunks('test/build/executables/probe/split.ts', {});

await t.test('a program is cut where it says import()', (t) => {
  const names = [...probe.keys()].map((name) => name.replace(/-[0-9A-Z]{8}\.js$/, ''));
  t.strictSame(new Set(names), new Set(['main.js', 'split-rare', 'split-usual', 'chunk']));
  t.ok(
    [...probe.values()].every((code) => Buffer.byteLength(code) === code.length),
    'one byte a character',
  );
  t.end();
});

await t.test('chunks share common code', async (t) => {
  const command = await writeToDisk(probe, 'shared');
  const { code, stdout } = await run(process.execPath, [...command, 'usual', 'rare', 'usual'], { env: {}, stdin: '' });
  t.strictSame({ code, stdout }, { code: 0, stdout: 'usual true\nrare true\nusual true\n' });
});

await t.test('what is not asked for is not loaded, and what several runs compiled adds up', async (t) => {
  const command = [process.execPath, ...(await writeToDisk(probe, 'added'))];
  const nothing = await codeCaches('added');
  await train(command, [{ args: ['usual'] }]);
  const usual = await codeCaches('added');
  await train(command, [{ args: ['rare'] }]);
  const both = await codeCaches('added');
  t.strictSame(sizesOf('split', nothing), { 'split-rare': 0, 'split-usual': 0 });
  t.match(sizesOf('split', usual), { 'split-rare': 0, 'split-usual': Number });
  t.equal(
    sizesOf('split', both)['split-usual'],
    sizesOf('split', usual)['split-usual'],
    'kept, though not loaded again',
  );
  t.ok(Number(sizesOf('split', usual)['split-usual']) > 0);
  t.ok(Number(sizesOf('split', both)['split-rare']) > 0);
  t.ok(Number(sizesOf('main', both)['main.js']) >= Number(sizesOf('main', usual)['main.js']));
});

await t.test('a module that neither the program nor Node has', async (t) => {
  const command = [process.execPath, ...(await writeToDisk(new Map([['main.js', 'require("node:bogus")']]), 'bogus'))];
  await t.rejects(train(command, [{ args: [] }]), /this program has no module node:bogus/);
});

async function writeToDisk(chunks: Chunks, name: string): Promise<readonly string[]> {
  await writeChunks(chunks, join(directory, name));
  return [training, join(directory, name)];
}

async function codeCaches(name: string): Promise<ReadonlyMap<string, number>> {
  const sizes = [...probe.keys()].map(async (chunk) => {
    const { size } = await stat(join(directory, name, codeCacheName(chunk)));
    return [chunk.replace(/-[0-9A-Z]{8}\.js$/, ''), size] as const;
  });
  return new Map(await Promise.all(sizes));
}

function sizesOf(prefix: string, sizes: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...sizes].filter(([name]) => name.startsWith(prefix)));
}

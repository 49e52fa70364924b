import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { bundle, bundleChunks } from '../../../build/executables/bundle.ts';
import { codeCacheName, train, writeChunks } from '../../../build/executables/code-cache.ts';
import { programs } from '../../../build/executables/programs.ts';
import { startGcpWithKey } from '../../lab/clouds/gcp/training.ts';
import { sharedNodeFlags } from '../../../build/executables/single-executable.ts';

/** Modules of Node's that take a millisecond or more to load, and that an answer has no use for. */
const slowModules = ['child_process', 'dns/promises', 'http2', 'internal/fs/streams', 'perf_hooks'];
/** Google's library speaks in the global Headers and Response, behind which Node loads all that `fetch` could need. */
const unavoidable = new Map([[startGcpWithKey, ['http2', 'perf_hooks']]]);
/** What an answer can need, by the names of its sources; the rest is for other programs and the SDK's other calls. */
const needed = [
  'aws',
  'azure',
  'config',
  'ecr',
  'ecr-public',
  'login',
  'main',
  'parse-config',
  'service-principal',
  'static',
  'sts-commands',
];

const [program] = programs;
if (program?.name !== 'polycloud-credential-provider') throw new Error('the first program is another one');
const directory = t.testdir();
const place = join(directory, 'chunks');
const training = join(directory, 'training.cjs');
await writeFile(training, await bundle('build/executables/start/training.ts'));
const chunks = await bundleChunks(program.main, {});
await writeChunks(chunks, place);
// tap gives every process that a test starts variables of its own.
const node = ['/usr/bin/env', '-u', 'NODE_OPTIONS', process.execPath, ...sharedNodeFlags, ...program.nodeFlags];
const modules = join(directory, 'modules');
await writeFile(
  join(directory, 'record.cjs'),
  `process.on('exit', () => require('node:fs').writeFileSync('${modules}', process.moduleLoadList.join('\\n')));`,
);

for (const trainingRun of program.trainingRuns) {
  const said = `${trainingRun.args.join(' ')} ${JSON.stringify(trainingRun.request ?? '')}`;
  await t.test(`no slow module is loaded for nothing: ${said}`, async (t) => {
    await train([...node, '--require', join(directory, 'record.cjs'), training, place], [trainingRun]);
    const loaded = (await readFile(modules, 'utf8')).split('\n').map((line) => line.replace(/^\w+ /, ''));
    t.ok(loaded.includes('fs'));
    t.strictSame(
      slowModules.filter((name) => loaded.includes(name)),
      (trainingRun.environment && unavoidable.get(trainingRun.environment)) ?? [],
    );
  });
}

await t.test('the training runs load every chunk that a response can need', async (t) => {
  const sizes = [...chunks.keys()].map(
    async (name) => [name, (await stat(join(place, codeCacheName(name)))).size] as const,
  );
  const trained = (await Promise.all(sizes)).filter(([, size]) => size > 0);
  const names = new Set(trained.map(([name]) => name.replace(/(?:-[0-9A-Z]{8})?\.js$/, '')));
  t.strictSame(
    needed.filter((name) => !names.has(name)),
    [],
  );
});

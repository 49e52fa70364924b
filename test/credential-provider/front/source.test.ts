import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../../build/project.ts';
import { brokerLimits, brokerProtocol, brokerSocket, emulatedProviderNames } from '../../../schemas/broker.ts';
import { variablesRead } from '../../support/variables-read.ts';
import { cloudHomeFiles } from '../../../schemas/generated/clouds.ts';

const directory = join(projectDirectory, 'credential-provider/front');
const source = await readFile(join(directory, 'front-end.c'), 'utf8');

const header = (await readFile(join(directory, 'clouds.h'), 'utf8')).replaceAll('\\\n', ' ');

/** The strings of a list of the source, with those of the macros that stand in it. */
function listOf(name: string): readonly string[] {
  const body = (new RegExp(`${name}\\[\\] = \\{([^}]*)\\}`).exec(source)?.[1] ?? '').replaceAll(
    /\bCLOUD_\w+/g,
    (macro) => new RegExp(`#define ${macro} (.*)`).exec(header)?.[1] ?? '',
  );
  return [...body.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text);
}

await t.test('it is small, and all of it but the generated tables is in two files', async (t) => {
  const files = await readdir(directory);
  t.strictSame(files.toSorted(), ['clouds.h', 'front-end.c', 'system.h']);
  const texts = await Promise.all(['front-end.c', 'system.h'].map((file) => readFile(join(directory, file), 'utf8')));
  const lines = texts.join('').split('\n').slice(0, -1);
  t.ok(lines.length <= 200, `${lines.length} lines`);
  t.strictSame(
    lines.filter((line) => line.length > 120),
    [],
  );
});

await t.test('it takes no memory but what stands in it', (t) => {
  t.notMatch(source, /alloc|mmap|\bbrk\b/);
  const [request = 0, answer = 0] = [/request_max = (\d+)/, /answer_max = (\d+)/].map((n) =>
    Number(n.exec(source)?.[1]),
  );
  t.ok(request + answer + 4_096 + 300 <= 1_048_576, 'less than 1 MB altogether');
  t.equal(answer, brokerLimits.answerBytes);
  t.end();
});

await t.test('it and the broker mean the same', (t) => {
  t.match(source, `#define PROTOCOL "${brokerProtocol}"`);
  t.match(source, `#define SOCKET_PATH "${brokerSocket}"`);
  t.strictSame(listOf('emulated_providers'), emulatedProviderNames);
  t.strictSame(
    listOf('home_files').map((file) => file.slice(1)),
    cloudHomeFiles,
  );
  t.end();
});

/** Where something of the environment can decide about a login. Tests see to it that nothing reads it by a made-up name. */
const readers = ['clouds', 'lib/http', 'lib/registry-login', 'credential-provider'];

await t.test('every setting that a cloud or the network reads sends it to the full program', async (t) => {
  const prefixes = listOf('variable_prefixes');
  const names = (await Promise.all(readers.map(variablesRead))).flatMap((found) => [...found]);
  t.ok(names.length > 30, `${names.length} names`);
  for (const name of names) {
    t.ok(
      prefixes.some((prefix) => `${name}=`.startsWith(prefix)),
      name,
    );
  }
});

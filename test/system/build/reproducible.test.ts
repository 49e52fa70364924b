import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { hostArchitecture } from '../../../build/architecture.ts';
import { createBuildContext } from '../../../build/executables/build-context.ts';
import { codeCachesOf, makeExecutable } from '../../../build/executables/executable.ts';
import { programs } from '../../../build/executables/programs.ts';

const arch = hostArchitecture();
const constants = { POLYCLOUD_BUILD: JSON.stringify({ version: '0', commit: '0' }) };
const name = 'polycloud-ccm';

await t.test('a second build with the code caches of the first has the same bytes', async (t) => {
  const directory = t.testdir({ caches: {} });
  const [first, second] = [join(directory, 'first'), join(directory, 'second')];
  await build(first);
  const caches = join(directory, 'caches');
  await cp(codeCachesOf(join(first, name)), join(caches, `linux-${arch}`, name), { recursive: true });
  await build(second, caches);
  const bytes = await readFile(join(first, name));
  t.ok(bytes.equals(await readFile(join(second, name))));
});

await t.test('code caches of other sources are refused', async (t) => {
  const directory = t.testdir({ caches: { [`linux-${arch}`]: { [name]: { 'main.js.code-cache': '' } } } });
  await t.rejects(build(join(directory, 'out'), join(directory, 'caches')), {
    message: /has no .*\.code-cache, so it is not from this commit$/,
  });
});

async function build(directory: string, codeCaches?: string): Promise<void> {
  const program = programs.find((each) => each.name === name);
  if (program === undefined) throw new Error(`there is no ${name}`);
  const workDirectory = join(directory, 'work');
  await mkdir(workDirectory, { recursive: true });
  const made = await createBuildContext(workDirectory, [arch], (line) => t.comment(line));
  const context = { ...made, ...(codeCaches !== undefined && { codeCaches }) };
  await makeExecutable({ program, arch, constants, file: join(directory, name) }, context);
}

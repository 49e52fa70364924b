import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../../build/project.ts';
import { run } from '../../../build/run.ts';
import { copyRepository } from '../../support/copy-repository.ts';

interface Plant {
  readonly what: string;
  readonly path: string;
  readonly text: string;
  readonly structureRule?: string;
  readonly lintRule?: string;
}

const plants: Plant[] = [
  {
    what: 'an import from one cloud into another',
    path: 'clouds/aws/planted-neighbour.ts',
    text: "export * from '../static/index.ts';\n",
    structureRule: 'import-rule',
    lintRule: 'no-restricted-imports',
  },
  {
    what: 'an import from one program into another',
    path: 'credential-provider/planted-program.ts',
    text: "export * from '../ccm/main.ts';\n",
    structureRule: 'import-rule',
    lintRule: 'no-restricted-imports',
  },
  {
    what: 'an import from a cloud into a program',
    path: 'clouds/aws/planted-program.ts',
    text: "export * from '../../../node-agent/main.ts';\n",
    structureRule: 'import-rule',
    lintRule: 'no-restricted-imports',
  },
  {
    what: 'an import from lib into a cloud',
    path: 'lib/planted-cloud.ts',
    text: "export type * from '../clouds/aws/index.ts';\n",
    structureRule: 'import-rule',
    lintRule: 'no-restricted-imports',
  },
  {
    what: 'an import of the interface into what the interface is made from',
    path: 'lib/http/planted-interface.ts',
    text: "export type * from '../../clouds/cloud.ts';\n",
    lintRule: 'no-restricted-imports',
  },
  {
    what: 'a file of 301 lines',
    path: 'lib/planted-length.ts',
    text: `${'// a line\n'.repeat(300)}export const planted = 1;\n`,
    structureRule: 'file-size',
    lintRule: 'max-lines',
  },
  {
    what: 'a floating promise',
    path: 'lib/planted-promise.ts',
    text: 'export function planted(): void {\n  Promise.resolve(1);\n}\n',
    lintRule: 'no-floating-promises',
  },
  {
    what: 'an any',
    path: 'lib/planted-any.ts',
    text: 'export function planted(value: any): unknown {\n  return [value];\n}\n',
    lintRule: 'no-explicit-any',
  },
  {
    what: 'a folder called utils',
    path: 'lib/utils/planted.ts',
    text: 'export const planted = 1;\n',
    structureRule: 'telling-names',
  },
];

/** What a unit test must not import: each needs more than Node.js. */
const beyondNode = [
  ['test/lib/planted-namespace.test.ts', '../../lab/network/namespace.ts'],
  ['test/lib/planted-network.test.ts', '../../lab/aws-network.ts'],
  ['test/lib/http/planted-api-server.ts', '../../lab/control-plane/for-test.ts'],
  ['test/ccm/planted-node.test.ts', '../../lab/node/boot-node.ts'],
  ['test/clouds/planted-executable.test.ts', '../../../build/executables/executable.ts'],
  ['test/credential-provider/planted-system.ts', '../../system/programs/provider.ts'],
  ['test/support/planted-long.ts', '../../long/generated/checks.ts'],
  ['test/lab/clouds/aws/planted-namespace.ts', '../../network/namespace.ts'],
  ['test/lab/node/planted-node.test.ts', './boot-node.ts'],
] as const;

plants.push(
  ...beyondNode.map(([path, target]) => ({
    what: `an import of ${target} into a unit test`,
    path,
    text: `export * from '${target}';\n`,
    lintRule: 'no-restricted-imports',
  })),
);

// Outside the repository: what lies below it obeys its .gitignore, and the linter would see nothing.
const copy = await mkdtemp(join(tmpdir(), 'polycloud-planted-'));
t.teardown(() => rm(copy, { recursive: true }));
await copyRepository(copy);

await t.test('a copy of the repository passes', async (t) => {
  const { code, findings } = await check();
  t.same(findings, []);
  t.equal(code, 0);
});

await t.test('everything planted in it is found', async (t) => {
  for (const { path, text } of plants) await write(path, text);
  const { code, findings } = await check();
  t.equal(code, 1);
  for (const { what, path, structureRule, lintRule } of plants) {
    const found = findings.filter((line) => line.startsWith(`${path}:`));
    if (structureRule !== undefined) t.ok(found.some(hasRule(`(${structureRule})`)), `${what}: ${structureRule}`);
    if (lintRule !== undefined) t.ok(found.some(hasRule(`(${lintRule})]`)), `${what}: ${lintRule}`);
  }
});

function hasRule(rule: string): (line: string) => boolean {
  return (line) => line.includes(rule);
}

async function check(): Promise<{ code: number | null; findings: readonly string[] }> {
  const script = join(projectDirectory, 'build/check.ts');
  // `env -i`: tap loads its own modules into every Node that a test starts, and the linter's cannot start with them.
  const args = ['-i', process.execPath, script, '--root', copy, '--only', 'lint,structure'];
  const { code, stdout } = await run('env', args, { cwd: copy, stdin: '' });
  return { code, findings: stdout.split('\n').filter((line) => /^\S+:\d+:/.test(line)) };
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(copy, path)), { recursive: true });
  await writeFile(join(copy, path), text);
}

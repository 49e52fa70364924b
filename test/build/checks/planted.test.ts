import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
    what: 'a cycle of types',
    path: 'lib/planted-cycle.ts',
    text: "import type { Other } from './planted-other.ts';\nexport type Planted = Other | 'a';\n",
    lintRule: 'no-cycle',
  },
  {
    what: 'the other half of that cycle',
    path: 'lib/planted-other.ts',
    text: "import type { Planted } from './planted-cycle.ts';\nexport type Other = Planted[];\n",
    lintRule: 'no-cycle',
  },
  {
    what: 'a folder called utils',
    path: 'lib/utils/planted.ts',
    text: 'export const planted = 1;\n',
    structureRule: 'telling-names',
  },
];

/** What the import rule forbids; `.oxlintrc.json` has it. */
const forbiddenImports = [
  ['schemas/planted.ts', 'node:fs'],
  ['schemas/planted.ts', 'zodiac'],
  ['schemas/planted.ts', '../lib/clock.ts'],
  ['schemas/config/planted.ts', '../../lib/clock.ts'],
  ['lib/planted.ts', '../clouds/index.ts'],
  ['lib/planted.ts', '../ccm/main.ts'],
  ['lib/registry-login/planted.ts', '../../clouds/aws/index.ts'],
  ['lib/http/planted.ts', '../../clouds/cloud.ts'],
  ['lib/failure.ts', '../clouds/cloud.ts'],
  ['clouds/cloud.ts', './aws/index.ts'],
  ['clouds/cloud.ts', '../lib/http/http.ts'],
  ['clouds/cloud.ts', 'node:fs'],
  ['clouds/index.ts', '../ccm/main.ts'],
  ['clouds/aws/planted.ts', '../azure/index.ts'],
  ['clouds/aws/planted.ts', '../index.ts'],
  ['clouds/aws/planted.ts', '../../node-agent/main.ts'],
  ['clouds/aws/registry/planted.ts', '../../azure/index.ts'],
  ['clouds/aws/registry/deep/planted.ts', '../../../azure/index.ts'],
  ['clouds/aws/registry/deep/planted.ts', '../../../../ccm/main.ts'],
  ['ccm/planted.ts', '../node-agent/main.ts'],
  ['ccm/planted.ts', '../clouds/cloud.ts'],
  ['ccm/planted.ts', '../clouds/aws/index.ts'],
  ['ccm/planted.ts', '../build/run.ts'],
  ['ccm/node-controller/planted.ts', '../../credential-provider/main.ts'],
] as const;
/** What it allows. */
const allowedImports = [
  ['schemas/planted-good.ts', 'zod/mini'],
  ['schemas/planted-good.ts', './keys.ts'],
  ['schemas/config/planted-good.ts', '../keys.ts'],
  ['lib/planted-good.ts', '../schemas/keys.ts'],
  ['lib/http/planted-good.ts', '../clock.ts'],
  ['clouds/aws/planted-good.ts', '../cloud.ts'],
  ['clouds/aws/planted-good.ts', '../../schemas/keys.ts'],
  ['clouds/aws/registry/planted-good.ts', '../../../schemas/keys.ts'],
  ['clouds/aws/planted-good.ts', '../../lib/clock.ts'],
  ['clouds/aws/planted-good.ts', '@aws-sdk/client-ecr'],
  ['clouds/aws/registry/planted-good.ts', '../index.ts'],
  ['clouds/aws/registry/planted-good.ts', '../../../lib/clock.ts'],
  ['ccm/planted-good.ts', '../clouds/index.ts'],
  ['ccm/node-controller/planted-good.ts', '../manager.ts'],
] as const;

/** Of `clouds/cloud.ts`, `lib/` may import types, and so may that file of the few that it is made from. */
const allowedTypeImports = [
  ['lib/planted-types.ts', '../clouds/cloud.ts'],
  ['clouds/cloud.ts', '../lib/failure.ts'],
  ['clouds/cloud.ts', '../schemas/keys.ts'],
] as const;

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

/** Each planted import has a name of its own: the linter reads nothing of a file that declares a name twice. */
let serial = 0;

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
  const bad = [...(await plantImports(forbiddenImports)), ...(await plantImports(allowedTypeImports, isValueImport))];
  const good = [...(await plantImports(allowedImports)), ...(await plantImports(allowedTypeImports, isTypeImport))];
  const { code, findings } = await check();
  t.equal(code, 1);
  for (const { what, path, structureRule, lintRule } of plants) {
    const found = findings.filter((line) => line.startsWith(`${path}:`));
    if (structureRule !== undefined) t.ok(found.some(hasRule(`(${structureRule})`)), `${what}: ${structureRule}`);
    if (lintRule !== undefined) t.ok(found.some(hasRule(`(${lintRule})]`)), `${what}: ${lintRule}`);
  }
  const ofImports = new Set(findings.filter(hasRule('(no-restricted-imports)]')).map(locationOf));
  for (const { at, text } of bad) t.ok(ofImports.has(at), `${at}: ${text}`);
  for (const { at, text } of good) t.notOk(ofImports.has(at), `${at}: ${text}`);
});

/** `path:line` of a finding. */
function locationOf(finding: string): string {
  return finding.split(':', 2).join(':');
}

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

interface PlantedImport {
  /** `path:line`, as in a finding. */
  readonly at: string;
  readonly text: string;
}

/** Plants each import in each form, or in those that are chosen, at the end of the file if it exists. */
async function plantImports(
  imports: readonly (readonly [path: string, target: string])[],
  isChosen = (_text: string) => true,
): Promise<readonly PlantedImport[]> {
  const planted: PlantedImport[] = [];
  for (const [path, target] of imports) {
    for (const text of importsOf(target).filter(isChosen)) {
      const present = await readFile(join(copy, path), 'utf8').catch(() => '');
      await write(path, `${present}${text}\n`);
      planted.push({ at: `${path}:${present.split('\n').length}`, text });
    }
  }
  return planted;
}

function importsOf(target: string): readonly string[] {
  return [
    `import '${target}';`,
    `import type { Planted as Planted${(serial += 1)} } from '${target}';`,
    `export * from '${target}';`,
    `await import('${target}');`,
  ];
}

function isTypeImport(text: string): boolean {
  return text.startsWith('import type');
}

function isValueImport(text: string): boolean {
  return !isTypeImport(text);
}

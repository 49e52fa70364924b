import t from 'tap';
import { checkCapabilityTests } from '../../../build/checks/capability-tests.ts';
import { checkCloudList } from '../../../build/checks/cloud-list.ts';
import { checkExportedTypes } from '../../../build/checks/exported-types.ts';
import type { StructureFinding } from '../../../build/checks/finding.ts';
import { checkImportPaths } from '../../../build/checks/import-paths.ts';
import { checkMarkdownLines } from '../../../build/checks/markdown-lines.ts';
import { checkMarkdownPaths } from '../../../build/checks/markdown-paths.ts';
import { checkNames } from '../../../build/checks/names.ts';
import { checkPackages } from '../../../build/checks/packages.ts';
import { checkRetiredWords } from '../../../build/checks/retired-words.ts';
import { checkSizes } from '../../../build/checks/sizes.ts';
import { listSmallFiles } from '../../../build/checks/small-files.ts';
import { checkSuppressions } from '../../../build/checks/suppressions.ts';

const badPaths: readonly (readonly [path: string, text: string])[] = [
  ['stray.ts', ''],
  ['clouds/other.ts', ''],
  ['clouds/aws/a.ts', "export * from './../azure/b.ts';"],
  ['clouds/aws/a.ts', "const a = await import('./registry/../../azure/b.ts');"],
  ['lib/a.ts', "import type { A } from '../../elsewhere.ts';"],
  ['lib/a.ts', "import '/etc/a.ts';"],
  ['lib/a.ts', "import a from 'file:///etc/a.ts';"],
  ['ccm/a.ts', 'const a = await import(name);'],
  ['ccm/a.ts', 'const a = await import(`./${name}.ts`);'],
  ['ccm/a.ts', 'const a = await import(`../node-agent/main.ts`);'],
];
const goodPaths: readonly (readonly [path: string, text: string])[] = [
  ['clouds/index.ts', "import('./aws/index.ts')"],
  ['clouds/aws/deep/a.ts', "import { b } from '../b.ts';"],
  ['ccm/a.ts', 'import { a } from "node:fs";'],
  ['test/a.test.ts', 'const a = await import(name);'],
  ['build/a.ts', "import '../test/lab/b.ts';"],
];

await t.test('code lies in the known folders, and imports name their file directly', async (t) => {
  for (const [path, text] of badPaths) t.same(rulesOf(checkImportPaths([{ path, text }])), ['import-path'], text);
  for (const [path, text] of goodPaths) t.same(checkImportPaths([{ path, text }]), [], text);
});

await t.test('names that say nothing, and names in another case, are found in files and folders', async (t) => {
  const bad = [
    'lib/utils/a.ts',
    'lib/helpers.ts',
    'test/common/a.ts',
    'charts/_helpers.tpl',
    'lib/manager.ts',
    'lib/MyFile.ts',
    'lib/a_b.ts',
  ];
  for (const path of bad) t.equal(checkNames([{ path, text: '' }]).length, 1, path);
  const good = [
    'docs/decisions/0001-one-interface.md',
    'README.md',
    '.ci/run',
    'lib/a.test.ts',
    'ccm/manager.ts',
    'test/lab/kube-controller-manager.ts',
  ];
  for (const path of good) t.same(checkNames([{ path, text: '' }]), [], path);
});

await t.test('a file may have 300 lines and no more', async (t) => {
  t.same(checkSizes([{ path: 'a.c', text: '\n'.repeat(300) }]), []);
  t.same(rulesOf(checkSizes([{ path: 'a.c', text: '\n'.repeat(301) }])), ['file-size']);
});

await t.test('the clouds in the list are the clouds on disk, and each is complete', async (t) => {
  const list = { path: 'clouds/index.ts', text: "[{ name: 'aws', load: () => import('./aws/index.ts') }]" };
  const aws = ['index.ts', 'README.md'].map((name) => ({ path: `clouds/aws/${name}`, text: '' }));
  t.same(checkCloudList([list, ...aws]), []);
  t.same(rulesOf(checkCloudList([list])), ['cloud-list'], 'listed and not there');
  const toy = { path: 'clouds/toy/index.ts', text: '' };
  t.same(
    rulesOf(checkCloudList([list, ...aws, toy])),
    ['cloud-list', 'cloud-complete'],
    'there and not listed, no README',
  );
});

await t.test('each capability in the traits has its test, and the test runs the suite of all clouds', async (t) => {
  const traits = {
    path: 'clouds/toy/traits.ts',
    text: "  capabilities: ['registry', 'identity', 'metadata', 'instances'],",
  };
  const tests = [
    ['index.test.ts', 'await runCloudConformance(t);'],
    ['identity/issue-token.test.ts', ''],
    ['metadata/describe.test.ts', ''],
    ['instances/conformance.test.ts', 'await runLookupConformance(t);'],
  ].map(([name = '', text = '']) => ({ path: `test/clouds/toy/${name}`, text }));
  t.same(checkCapabilityTests([traits, ...tests]), []);
  for (const { path } of tests) {
    const others = tests.filter((test) => test.path !== path);
    t.match(checkCapabilityTests([traits, ...others]), [{ path: traits.path, rule: 'capability-tests' }], path);
  }
  t.same(checkCapabilityTests([{ ...traits, text: "  capabilities: ['registry']," }, ...tests.slice(0, 1)]), []);
  const emptied = tests.map((test) => ({ ...test, text: '' }));
  t.same(rulesOf(checkCapabilityTests([traits, ...emptied])), ['capability-tests', 'capability-tests']);
});

await t.test('packages are asked for by exact version and never by address', async (t) => {
  const manifest = JSON.stringify({
    dependencies: { zod: '4.6.7', yaml: '^2.9.1' },
    devDependencies: { tap: 'latest' },
  });
  t.same(rulesOf(checkPackages([{ path: 'package.json', text: manifest }])), ['exact-versions', 'exact-versions']);
  const lock = '{\n  "resolved": "https://example.org/a.tgz"\n}';
  t.match(checkPackages([{ path: 'package-lock.json', text: lock }]), [{ line: 2, rule: 'lock-without-addresses' }]);
  const host = ['registry', 'npmjs', 'org'].join('.');
  t.match(checkPackages([{ path: 'docs/a.md', text: `\nfrom ${host}` }]), [{ line: 2, rule: 'no-download-hosts' }]);
});

await t.test('a lint rule is switched off for one line, by name, with a reason', async (t) => {
  const directive = ['oxlint', 'disable'].join('-');
  const good = `// ${directive}-next-line no-console -- this is what the program is for\n`;
  t.same(checkSuppressions([{ path: 'lib/a.ts', text: good }]), []);
  for (const text of [`// ${directive}-next-line no-console`, `/* ${directive} no-console -- a long reason */`]) {
    t.same(rulesOf(checkSuppressions([{ path: 'lib/a.ts', text }])), ['founded-suppressions'], text);
  }
});

await t.test('no two exported types of the product have one name', (t) => {
  const first = { path: 'lib/a.ts', text: 'export interface Call {}\ntype Own = 1;' };
  const unexported = { path: 'ccm/a.ts', text: 'interface Call {}\ntype Own = 2;\nexport type { Call } from "b";' };
  const inTest = { path: 'test/a.ts', text: 'export interface Call {}' };
  t.same(checkExportedTypes([first, unexported, inTest]), []);
  for (const declaration of ['export interface Call {', 'export type Call = string;', 'export abstract class Call {']) {
    const second = { path: 'clouds/aws/b.ts', text: `\n${declaration}` };
    t.match(checkExportedTypes([first, second]), [{ path: second.path, line: 2, rule: 'one-meaning' }], declaration);
  }
  t.end();
});

await t.test('a retired name is found where it is an identifier or a file name', (t) => {
  const list = { path: 'build/checks/retired-words.txt', text: 'Desk LoginDeps\ndesk.ts login-deps.ts\n' };
  const found = (path: string, text: string): readonly string[] => rulesOf(checkRetiredWords([list, { path, text }]));
  for (const text of ['interface Desk {', 'const a: Desk = b;', 'f(Desk)', 'const a = `${Desk} x`;']) {
    t.same(found('lib/a.ts', text), ['retired-words'], text);
  }
  for (const text of ["const a = 'Desk';", '// Desk', '/* a\nDesk */', 'const a = `Desk ${b} Desk`;', 'DeskLamp()']) {
    t.same(found('lib/a.ts', text), [], text);
  }
  for (const path of ['lib/desk.ts', 'test/lib/desk.test.ts']) t.same(found(path, ''), ['retired-words'], path);
  t.same(found('docs/desk.ts', 'Desk'), []);
  t.match(checkRetiredWords([list, { path: 'lib/a.ts', text: '/*\n*/ Desk' }]), [{ line: 2 }]);
  t.end();
});

await t.test('the paths that Markdown names exist', (t) => {
  const files = ['lib/http/http.ts', 'clouds/aws/errors.ts', 'clouds/aws/README.md', 'ccm/main.ts'];
  const tree = files.map((path) => ({ path, text: '' }));
  const found = (text: string): readonly string[] =>
    rulesOf(checkMarkdownPaths([...tree, { path: 'docs/a.md', text: `see \`${text}\`` }]));
  const good = ['lib/http/http.ts', 'lib/http/', 'http.ts', 'http/http.ts', 'clouds/*/errors.ts', 'clouds/<name>/'];
  const others = ['/etc/a.ts', 'lib', 'ghcr.io/a', '{lib,ccm}/main.ts', 'clouds/**/README.md', 'ccm --help'];
  for (const text of [...good, ...others]) t.same(found(text), [], text);
  const bad = [
    'lib/http/ask.ts',
    'lib/https/',
    'ttp.ts',
    'clouds/*/error.ts',
    '{lib,bench}/main.ts',
    'clouds/<name>/a/',
  ];
  for (const text of bad) t.same(found(text), ['markdown-paths'], text);
  t.end();
});

await t.test('a line of Markdown has at most 120 characters, and a table cell at most 100', (t) => {
  const found = (text: string): readonly string[] => rulesOf(checkMarkdownLines([{ path: 'a.md', text }]));
  const line = `${'word '.repeat(23)}12345`;
  t.equal(line.length, 120);
  t.same(found(line), []);
  t.same(found(`${line}6`), ['markdown-lines']);
  t.same(found(`- ${line}`), ['markdown-lines']);
  t.same(found(`    ${line}`), ['markdown-lines']);
  const word = 'x'.repeat(130);
  for (const text of [word, `  ${word}`, `- ${word}`, `1. ${word}`]) {
    t.same(found(text), [], text);
  }
  const cell = 'x '.repeat(50).trim().padEnd(100, 'x');
  t.same(found(`| ${cell} | ${cell} |`), [], 'a row of a table may be longer');
  t.same(found(`| a | ${cell}x |`), ['markdown-lines']);
  t.same(found(`| ${'x '.repeat(30)}\\| ${'x '.repeat(30)} |`), ['markdown-lines'], 'an escaped | ends no cell');
  t.same(found(['```', `${line} a`, '```', `${line} b`].join('\n')), ['markdown-lines'], 'only after the fence');
  t.match(checkMarkdownLines([{ path: 'a.md', text: `\n${line} a` }]), [{ line: 2 }]);
  t.same(checkMarkdownLines([{ path: 'a.ts', text: `${line} a` }]), []);
  t.end();
});

await t.test('a small file with a single importer is listed', (t) => {
  const user = { path: 'lib/user.ts', text: "import { a } from './a.ts';\nconst b = await import('./deep/b.ts');" };
  const second = { path: 'ccm/second.ts', text: "import type { B } from '../lib/deep/b.ts';" };
  const inTest = { path: 'test/a.test.ts', text: "import { a } from '../lib/a.ts';" };
  const [a, b] = [
    { path: 'lib/a.ts', text: `${'\n'.repeat(28)}1;` },
    { path: 'lib/deep/b.ts', text: '1;' },
  ];
  t.same(listSmallFiles([user, a, b, inTest]), [
    'lib/a.ts: 29 lines, imported by lib/user.ts alone',
    'lib/deep/b.ts: 1 lines, imported by lib/user.ts alone',
  ]);
  t.same(listSmallFiles([user, second, b]), []);
  t.same(listSmallFiles([user, { ...a, text: `${a.text}\n2;` }]), []);
  t.end();
});

function rulesOf(findings: readonly StructureFinding[]): readonly string[] {
  return findings.map(({ rule }) => rule);
}

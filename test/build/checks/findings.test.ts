import t from 'tap';
import { checkCloudList } from '../../../build/checks/cloud-list.ts';
import type { StructureFinding } from '../../../build/checks/finding.ts';
import { checkImports } from '../../../build/checks/import-rule.ts';
import { checkNames } from '../../../build/checks/names.ts';
import { checkPackages } from '../../../build/checks/packages.ts';
import { checkSizes } from '../../../build/checks/sizes.ts';
import { checkSuppressions } from '../../../build/checks/suppressions.ts';

const allowed: readonly (readonly [from: string, to: string])[] = [
  ['schemas/a.ts', 'zod/mini'],
  ['schemas/a.ts', './b.ts'],
  ['lib/a.ts', '../schemas/b.ts'],
  ['lib/http/a.ts', '../b.ts'],
  ['lib/a.ts', 'node:fs'],
  ['lib/a.ts', '../clouds/cloud.ts'],
  ['clouds/cloud.ts', '../lib/a.ts'],
  ['clouds/cloud.ts', '../schemas/a.ts'],
  ['clouds/index.ts', './aws/index.ts'],
  ['clouds/aws/a.ts', '../cloud.ts'],
  ['clouds/aws/a.ts', '../../lib/b.ts'],
  ['clouds/aws/a.ts', '../../schemas/b.ts'],
  ['clouds/aws/deep/a.ts', '../b.ts'],
  ['clouds/aws/a.ts', '@aws-sdk/client-ecr'],
  ['ccm/a.ts', '../clouds/index.ts'],
  ['ccm/queue/a.ts', '../b.ts'],
  ['test/a.test.ts', '../clouds/aws/index.ts'],
  ['build/a.ts', '../test/lab/b.ts'],
];
const forbidden: readonly (readonly [from: string, to: string])[] = [
  ['schemas/a.ts', 'node:fs'],
  ['schemas/a.ts', 'zodiac'],
  ['schemas/a.ts', '../lib/b.ts'],
  ['lib/a.ts', '../clouds/index.ts'],
  ['lib/a.ts', '../ccm/b.ts'],
  ['lib/a.ts', '../../elsewhere.ts'],
  ['lib/a.ts', '/etc/a.ts'],
  ['clouds/cloud.ts', './aws/index.ts'],
  ['clouds/other.ts', './cloud.ts'],
  ['clouds/aws/a.ts', '../azure/b.ts'],
  ['clouds/aws/a.ts', './../azure/b.ts'],
  ['clouds/aws/deep/a.ts', '../../azure/b.ts'],
  ['clouds/aws/a.ts', '../index.ts'],
  ['clouds/aws/a.ts', '../../node-agent/b.ts'],
  ['ccm/a.ts', '../node-agent/b.ts'],
  ['ccm/a.ts', '../clouds/cloud.ts'],
  ['ccm/a.ts', '../clouds/aws/index.ts'],
  ['ccm/a.ts', '../build/b.ts'],
  ['ccm/a.ts', '../package.json'],
  ['stray.ts', 'node:fs'],
];

await t.test('the import rule allows what the design allows', async (t) => {
  for (const [from, to] of allowed) t.same(importing(from, to), [], `${from} imports ${to}`);
});

await t.test('the import rule forbids everything else, whatever form the import has', async (t) => {
  for (const [from, to] of forbidden) {
    for (const text of [`import '${to}';`, `import type { A } from '${to}';`, `const a = import('${to}');`]) {
      t.same(rulesOf(checkImports([{ path: from, text }])), ['import-rule'], `${from}: ${text}`);
    }
  }
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
  t.same(checkSuppressions([{ path: 'lib/a.ts', text: `const a = '/* ${directive} */';` }]), [], 'inside a string');
  for (const text of [`// ${directive}-next-line no-console`, `/* ${directive} no-console -- a long reason */`]) {
    t.same(rulesOf(checkSuppressions([{ path: 'lib/a.ts', text }])), ['founded-suppressions'], text);
  }
});

function importing(path: string, specifier: string): readonly StructureFinding[] {
  return checkImports([{ path, text: `export * from '${specifier}';` }]);
}

function rulesOf(findings: readonly StructureFinding[]): readonly string[] {
  return findings.map(({ rule }) => rule);
}

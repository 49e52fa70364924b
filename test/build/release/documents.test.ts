import t from 'tap';
import type { BundledPackage } from '../../../build/release/bundled-packages.ts';
import { formatNotices } from '../../../build/release/notices.ts';
import { formatProvenance } from '../../../build/release/provenance.ts';
import { formatSbom } from '../../../build/release/sbom.ts';

const facts = { version: '1.2.3', commit: 'c0ffee', createdAt: new Date('2026-01-02T03:04:05Z') };
const packages: readonly BundledPackage[] = [
  { ...packageOf('@scope/one', 'MIT'), licenceText: 'Same text.\r\n' },
  { ...packageOf('two', 'Apache-2.0'), licenceText: 'Other text.' },
  { ...packageOf('three', 'MIT'), licenceText: '\nSame text.  \n' },
];

await t.test('notices name every package, and repeat no text', (t) => {
  const notices = formatNotices(packages, '24.0.0', 'Text of Node.js.');
  t.match(notices, /@scope\/one 1\.0\.0 \(MIT\)\nthree 1\.0\.0 \(MIT\)\n=+\n\nSame text\.\n/);
  t.match(notices, /two 1\.0\.0 \(Apache-2\.0\)\n=+\n\nOther text\.\n/);
  t.match(notices, /Node\.js 24\.0\.0.*\n=+\n\nText of Node\.js\.\n/);
  t.end();
});

await t.test('the SBOM describes polycloud, and what it contains', (t) => {
  const sbom = JSON.parse(formatSbom(packages, '24.0.0', facts)) as Sbom;
  t.match(sbom, {
    spdxVersion: 'SPDX-2.3',
    creationInfo: { created: '2026-01-02T03:04:05Z' },
    documentNamespace: /c0ffee$/,
  });
  t.strictSame(
    sbom.packages.map(({ name, versionInfo }) => `${name}@${versionInfo}`),
    ['polycloud@1.2.3', 'node@24.0.0', '@scope/one@1.0.0', 'two@1.0.0', 'three@1.0.0'],
  );
  t.match(sbom.packages[2], {
    SPDXID: 'SPDXRef-scope-one-1.0.0',
    licenseDeclared: 'MIT',
    checksums: [{ algorithm: 'SHA512', checksumValue: '00ff' }],
    externalRefs: [{ referenceLocator: 'pkg:npm/%40scope/one@1.0.0' }],
  });
  const ids = new Set(sbom.packages.map(({ SPDXID }) => SPDXID));
  t.equal(ids.size, sbom.packages.length);
  for (const { relatedSpdxElement } of sbom.relationships) t.ok(ids.has(relatedSpdxElement), relatedSpdxElement);
  t.end();
});

await t.test('the provenance names each file and the commit, and no time', (t) => {
  const statement = formatProvenance([{ name: 'a.tar.gz', sha256: 'abc' }], facts);
  t.match(JSON.parse(statement), {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'a.tar.gz', digest: { sha256: 'abc' } }],
    predicate: { buildDefinition: { resolvedDependencies: [{ digest: { gitCommit: 'c0ffee' } }] } },
  });
  t.notMatch(statement, /202\d-/);
  t.end();
});

interface Sbom {
  readonly packages: ReadonlyArray<{ readonly SPDXID: string; readonly name: string; readonly versionInfo: string }>;
  readonly relationships: ReadonlyArray<{ readonly relatedSpdxElement: string }>;
}

function packageOf(name: string, licence: string): Omit<BundledPackage, 'licenceText'> {
  return { name, version: '1.0.0', licence, integrity: 'sha512-AP8=', programs: ['polycloud-ccm'] };
}

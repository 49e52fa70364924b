import { join } from 'node:path';
import t from 'tap';
import { clouds } from '../../../clouds/index.ts';
import { lintPath } from '../../../credential-provider/lint/lint-path.ts';
import type { LintedPath } from '../../../credential-provider/lint/lint-path.ts';
import { isUsable, lintJson, lintText } from '../../../credential-provider/lint/report.ts';
import { realHost } from '../../../lib/host.ts';
import { hints } from '../../support/kubelet-hints.ts';

const kubelet = `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: a
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    matchImages: ["*.example.com"]
    defaultCacheDuration: "0s"
`;
const directory = t.testdir({
  'kubelet.yaml': kubelet,
  'kubelet.json': JSON.stringify({ apiVersion: 'kubelet.config.k8s.io/v1', kind: 'CredentialProviderConfig' }),
  'kubelet-broken.yaml': 'apiVersion: kubelet.config.k8s.io/v1\nproviders: [\n',
  'kubelet.d': { 'a.yaml': kubelet },
  'own.yaml': 'registries:\n  - { match: mirror.example, as: public.ecr.aws }\n',
  'empty.yaml': '# only a comment\n',
  'own-broken.yaml': 'registries: [\n',
  'mistakes.yaml': `aws:
  scops: []
registries:
  - match: mirror.example
interruption:
  mode: never
clouds: 3
caFile: 7
`,
  'cloud.conf': '[Global]\nRegion = us-west-2\n',
});

function lint(name: string): Promise<LintedPath> {
  return lintPath(join(directory, name), { clouds, env: {}, host: realHost, hints, binDirectory: undefined });
}

const readers: ReadonlyArray<readonly [name: string, reader: string, ok: boolean]> = [
  ['kubelet.yaml', 'kubelet', true],
  ['kubelet.json', 'kubelet', false],
  ['kubelet-broken.yaml', 'kubelet', false],
  ['kubelet.d', 'kubelet', true],
  ['own.yaml', 'polycloud', true],
  ['empty.yaml', 'polycloud', true],
  ['own-broken.yaml', 'polycloud', false],
  ['mistakes.yaml', 'polycloud', false],
  ['cloud.conf', 'polycloud', false],
  ['absent.yaml', 'polycloud', false],
];
for (const [name, reader, ok] of readers) {
  await t.test(`${name} is a file of ${reader}, ${ok ? 'without' : 'with'} errors`, async (t) => {
    const linted = await lint(name);
    t.equal(linted.reader, reader);
    t.equal(isUsable(linted), ok, JSON.stringify(linted.findings));
  });
}

await t.test('all mistakes of our file at once, each with its line, its key and a code', async (t) => {
  const { findings } = await lint('mistakes.yaml');
  t.strictSame(
    findings.map(({ line, key, code, severity }) => [line, key, code, severity]),
    [
      [2, 'aws.scops', 'unknown-key', 'error'],
      [4, 'registries[0]', 'wrong-value', 'error'],
      [6, 'interruption.mode', 'wrong-value', 'error'],
      [7, 'clouds', 'unknown-key', 'error'],
      [8, 'caFile', 'wrong-type', 'error'],
    ],
  );
  t.equal(findings[0]?.remedy, 'did you mean scopes?');
  t.match(findings[3]?.remedy, /^remove it; the known keys here are caFile, registries, /);
  t.match(findings[4]?.remedy, /^correct it; it means: A file of PEM certificates /, 'what the key means');
});

await t.test('other findings have codes too', async (t) => {
  const codes = async (name: string): Promise<readonly string[]> => (await lint(name)).findings.map(({ code }) => code);
  t.strictSame(await codes('cloud.conf'), ['vendor-format']);
  t.strictSame(await codes('absent.yaml'), ['unreadable']);
  t.strictSame(await codes('own-broken.yaml'), ['not-yaml']);
  t.strictSame(await codes('kubelet-broken.yaml'), ['not-yaml']);
  t.strictSame(await codes('kubelet.json'), ['no-provider']);
});

await t.test('for people: findings, then a line for each program that reads the files', async (t) => {
  const linted = await Promise.all(['own-broken.yaml', 'kubelet.yaml'].map(lint));
  t.match(
    lintText(linted),
    /^error \S+own-broken\.yaml:2: is not YAML .*; hint: .*\npolycloud does not start with this\na kubelet starts with this\n$/,
  );
  const painted = lintText(linted, (colour, text) => `<${colour} ${text}>`);
  t.match(painted, /^<red error> .*\n<red polycloud .*>\n<green a kubelet starts with this>\n$/);
});

await t.test('for programs: each path with its findings', async (t) => {
  const report = JSON.parse(lintJson(await Promise.all(['kubelet.yaml', 'mistakes.yaml'].map(lint)))) as unknown;
  t.match(report, {
    ok: false,
    files: [
      { path: /kubelet\.yaml$/, reader: 'kubelet', ok: true, findings: [] },
      {
        reader: 'polycloud',
        ok: false,
        findings: [{ code: 'unknown-key', line: 2, key: 'aws.scops', file: /mistakes/ }],
      },
    ],
  });
});

import { join } from 'node:path';
import t from 'tap';
import { findingText } from '../../../credential-provider/lint/report.ts';
import { lintConfig } from '../../../lib/kubelet-config/lint.ts';
import { hints } from '../../support/kubelet-hints.ts';

const head = 'apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders:\n';
const first = '  - name: a\n    apiVersion: credentialprovider.kubelet.k8s.io/v1\n';
const rest = '    matchImages: ["*.example.com"]\n    defaultCacheDuration: "0s"\n';
const token =
  '    tokenAttributes:\n      serviceAccountTokenAudience: vault\n      cacheType: ServiceAccount\n      requireServiceAccount: true\n';

/** Text of a file → the message. */
const cases: ReadonlyArray<readonly [name: string, text: string, said: RegExp]> = [
  ['syntax', `${head}${first}   : [`, /^error FILE:\d+: it is not YAML \(.+\); hint: correct the syntax$/],
  [
    'an unknown field',
    `${head}${first}${rest}    cacheTime: 1\n`,
    /^error FILE:8: there is no field cacheTime here; hint: correct its name/,
  ],
  [
    'a type',
    `${head}${first}    defaultCacheDuration: 10\n`,
    /^error FILE:6: the value must be a string; hint: put the value in quotes$/,
  ],
  [
    'an API of the file',
    head.replace('/v1', '/v2'),
    /^error FILE:1: apiVersion is not one of .*; hint: write apiVersion: kubelet\.config\.k8s\.io\/v1$/,
  ],
  [
    'no duration',
    `${head}${first}    matchImages: [x.example]\n`,
    /^error FILE:4: defaultCacheDuration is missing; hint: write a Go duration in quotes/,
  ],
  [
    'a duration',
    `${head}${first}    defaultCacheDuration: "1 h"\n    matchImages: [x.example]\n`,
    /^error FILE:6: "1 h" is not a duration; /,
  ],
  [
    'an entry of a list',
    `${head}${first}${rest.replace('"*.example.com"', '"a.example", "b c"')}`,
    /^error FILE:6: "b c" is not host\[:port\]\[\/path\]; /,
  ],
  [
    'twice',
    `${head}${first}${rest}${first}${rest}`,
    /^error FILE:8: there are two providers with the name a; hint: link the executable/,
  ],
  [
    'an older request with a token',
    `${head}${first.replace('k8s.io/v1\n', 'k8s.io/v1beta1\n')}${rest}${token.replace('vault', 'x.svc.id.goog')}`,
    /^error FILE:8: tokens need the provider's apiVersion to be v1; /,
  ],
  [
    'no provider',
    head.replace('providers:', 'providers: []'),
    /^error FILE: it lists no provider; hint: add one below `providers`$/,
  ],
  [
    'advice: a path',
    `${head}${first}${rest.replace('.com"', '.com/*"')}`,
    /^warning FILE:6: "\*\.example\.com\/\*": a \* in a path is not a wildcard; /,
  ],
  [
    'advice: a scheme',
    `${head}${first}${rest.replace('"*.', '"https://')}`,
    /^warning FILE:6: .*: it starts with a scheme, so it matches no image; /,
  ],
  [
    'advice: China',
    `${head}${first}${rest.replace('*.example.com', '*.dkr.ecr.*.amazonaws.cn')}`,
    /^warning FILE:6: .* write \.amazonaws\.com\.cn$/,
  ],
  [
    'advice: everything',
    `${head}${first}${rest.replace('*.example.com', '*')}`,
    /^warning FILE:6: .*one part of a host name/,
  ],
  [
    'advice: an IPv6 address',
    `${head}${first}${rest.replace('*.example.com', '[fd00::1]')}`,
    /^warning FILE:6: .*an IPv6 address without a port matches no image; hint: add the port/,
  ],
  [
    'advice: an IPv6 address with a port',
    `${head}${first}${rest.replace('*.example.com', '[fd00::1]:5000')}`,
    /^warning FILE:6: .*polycloud serves no registry at an IPv6 address and returns no login; /,
  ],
  ['advice: a token and no annotation', `${head}${first}${rest}${token}`, /^warning FILE:8: no annotation is required/],
];

for (const [name, text, said] of cases) {
  await t.test(`file, line, reason and remedy: ${name}`, (t) => {
    const file = join(t.testdir({ 'k.yaml': text }), 'k.yaml');
    const lines = lintConfig(file, { hints }).map((finding) => findingText(finding));
    t.equal(lines.length, 1, lines.join('\n'));
    t.match(lines[0]?.replace(file, 'FILE'), said);
    t.end();
  });
}

await t.test('no advice for a file without problems', (t) => {
  for (const audience of ['PROJECT.svc.id.goog', 'https://iam.googleapis.com/projects/1/x']) {
    const file = join(t.testdir({ 'k.yaml': `${head}${first}${rest}${token.replace('vault', audience)}` }), 'k.yaml');
    t.strictSame(lintConfig(file, { hints }), [], audience);
  }
  t.end();
});

await t.test('in a directory the file is named, and missing executables are found', (t) => {
  const directory = t.testdir({ '1.yaml': `${head}${first}${rest}`, '2.yaml': `${head}${first}${rest}`, bin: {} });
  const lines = lintConfig(directory, { binDirectory: join(directory, 'bin') }).map((finding) => findingText(finding));
  t.match(lines, [
    new RegExp(`^error ${join(directory, '1.yaml')}:4: ${join(directory, 'bin/a')} does not exist; hint: put`),
    new RegExp(`^error ${join(directory, '2.yaml')}:4: there are two providers with the name a; `),
    new RegExp(`^error ${join(directory, '2.yaml')}:4: .* does not exist; `),
  ]);
  t.match(
    lintConfig(join(directory, 'none'), {}).map((finding) => findingText(finding)),
    [/none: it cannot be read \(ENOENT\); hint: /],
  );
  t.end();
});

/** Files for the kubelet's --image-credential-provider-config, and whether a kubelet starts with them. */
export interface ConfigCase {
  readonly name: string;
  /** Text by file name; one file is given as a file, several, or a name with a slash, as their directory. */
  readonly files: Readonly<Record<string, string>>;
  readonly starts: boolean;
}

const head = 'apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\n';
const request = 'credentialprovider.kubelet.k8s.io';

/** A valid provider with some lines replaced; `null` omits the line. */
function provider(changes: Readonly<Record<string, string | null>>): string {
  const lines: Readonly<Record<string, string | null>> = {
    name: 'plugin-a',
    apiVersion: `${request}/v1`,
    matchImages: '["*.example.com"]',
    defaultCacheDuration: '"0s"',
    ...changes,
  };
  const written = Object.entries(lines).flatMap(([key, value]) => (value === null ? [] : [`${key}: ${value}`]));
  return `  - ${written.join('\n    ')}\n`;
}

function file(...providers: readonly string[]): string {
  return `${head}providers:\n${providers.join('')}`;
}

const token: Readonly<Record<string, string | null>> = {
  serviceAccountTokenAudience: 'sts.amazonaws.com',
  cacheType: 'ServiceAccount',
  requireServiceAccount: 'true',
};

function withToken(changes: Readonly<Record<string, string | null>>): string {
  const entries = Object.entries({ ...token, ...changes }).flatMap(([key, value]) =>
    value === null ? [] : [`${key}: ${value}`],
  );
  return file(provider({ tokenAttributes: `{${entries.join(', ')}}` }));
}

function one(name: string, starts: boolean, text: string): ConfigCase {
  return { name, starts, files: { 'config.yaml': text } };
}

const good = file(provider({}));

const json = JSON.stringify({
  apiVersion: 'kubelet.config.k8s.io/v1',
  kind: 'CredentialProviderConfig',
  providers: [
    { name: 'plugin-a', apiVersion: `${request}/v1`, matchImages: ['*.example.com'], defaultCacheDuration: '1m' },
  ],
});

export const corpus: readonly ConfigCase[] = [
  one('the smallest one', true, good),
  one('two providers', true, file(provider({}), provider({ name: 'plugin-b' }))),
  one('arguments and environment', true, file(provider({ args: '["--v=3"]', env: '[{name: A, value: "1"}]' }))),
  one('a token', true, withToken({})),
  one(
    'a token with annotations',
    true,
    withToken({ requiredServiceAccountAnnotationKeys: '[eks.amazonaws.com/role-arn]' }),
  ),
  one('an annotation key in capitals', true, withToken({ optionalServiceAccountAnnotationKeys: '[Example.COM/Role]' })),
  one('a boolean of YAML 1.1', true, withToken({ requireServiceAccount: 'yes' })),
  one('v1beta1 of the file', true, good.replace('k8s.io/v1\n', 'k8s.io/v1beta1\n')),
  one('v1alpha1 of the file', true, good.replace('k8s.io/v1\n', 'k8s.io/v1alpha1\n')),
  one('v1beta1 of the request', true, file(provider({ apiVersion: `${request}/v1beta1` }))),
  one('a duration of zero without a unit', true, file(provider({ defaultCacheDuration: '"0"' }))),
  one('a duration with a plus', true, file(provider({ defaultCacheDuration: '+1h30m' }))),
  one('a port and a path', true, file(provider({ matchImages: '["registry.example:5000/team"]' }))),
  one('an empty entry of matchImages', true, file(provider({ matchImages: '[""]' }))),
  one('args that are null', true, file(provider({ args: 'null' }))),
  one('a second document', true, `${good}---\nnonsense: true\n`),
  one('a document that begins with dashes', true, `---\n${good}`),
  one('JSON', true, json),
  { name: 'a directory', starts: true, files: { 'a/1.yaml': good, 'a/2.yml': file(provider({ name: 'plugin-b' })) } },
  { name: 'a directory with other files', starts: true, files: { 'a/1.yaml': good, 'a/README.md': 'text' } },
  one('an empty file', false, ''),
  one('no providers', false, `${head}providers: []\n`),
  one('providers that are missing', false, head),
  one('another kind', false, good.replace('CredentialProviderConfig', 'KubeletConfiguration')),
  one('another group', false, good.replace('kubelet.config.k8s.io/v1', 'example.com/v1')),
  one('no apiVersion of the file', false, good.replace(/^.*\n/, '')),
  one('a field that is unknown', false, file(provider({ extra: '1' }))),
  one('a field in other letters', false, file(provider({ MatchImages: '[a.example]' }))),
  one('a field twice', false, file(provider({})).replace('    matchImages', '    name: again\n    matchImages')),
  one('a name that is a number', false, file(provider({ name: '12' }))),
  one('a name with a slash', false, file(provider({ name: 'bin/plugin-a' }))),
  one('a name with a space', false, file(provider({ name: '"plugin a"' }))),
  one('a name that is a dot', false, file(provider({ name: '.' }))),
  one('no name', false, file(provider({ name: '""' }))),
  one('a name without an executable', false, file(provider({ name: 'plugin-z' }))),
  one('the same name twice', false, file(provider({}), provider({}))),
  one('no matchImages', false, file(provider({ matchImages: '[]' }))),
  one('matchImages that is a text', false, file(provider({ matchImages: 'a.example' }))),
  one('a space in matchImages', false, file(provider({ matchImages: '["a b.example"]' }))),
  one('a wrong port in matchImages', false, file(provider({ matchImages: '["a.example:x"]' }))),
  one('no duration', false, file(provider({ defaultCacheDuration: null }))),
  one('a duration without a unit', false, file(provider({ defaultCacheDuration: '"10"' }))),
  one('a duration that is a number', false, file(provider({ defaultCacheDuration: '10' }))),
  one('a negative duration', false, file(provider({ defaultCacheDuration: '"-1m"' }))),
  one('no apiVersion of the request', false, file(provider({ apiVersion: null }))),
  one('an unknown apiVersion of the request', false, file(provider({ apiVersion: `${request}/v2` }))),
  one('a value of the environment that is a number', false, file(provider({ env: '[{name: A, value: 1}]' }))),
  one('a token without an audience', false, withToken({ serviceAccountTokenAudience: null })),
  one('a token without a cacheType', false, withToken({ cacheType: null })),
  one('an unknown cacheType', false, withToken({ cacheType: 'Pod' })),
  one('a token without requireServiceAccount', false, withToken({ requireServiceAccount: null })),
  one('requireServiceAccount as a text', false, withToken({ requireServiceAccount: '"true"' })),
  one(
    'required annotations of no account',
    false,
    withToken({ requireServiceAccount: 'false', requiredServiceAccountAnnotationKeys: '[example.com/a]' }),
  ),
  one(
    'an annotation that is both',
    false,
    withToken({
      requiredServiceAccountAnnotationKeys: '[example.com/a]',
      optionalServiceAccountAnnotationKeys: '[example.com/a]',
    }),
  ),
  one(
    'an annotation twice',
    false,
    withToken({ requiredServiceAccountAnnotationKeys: '[example.com/a, example.com/a]' }),
  ),
  one('an annotation key with two slashes', false, withToken({ requiredServiceAccountAnnotationKeys: '[a/b/c]' })),
  one('a token with an older request', false, withToken({}).replace(`${request}/v1\n`, `${request}/v1beta1\n`)),
  one('a token in an older file', false, withToken({}).replace('k8s.io/v1\n', 'k8s.io/v1beta1\n')),
  one('no YAML', false, `${good}  : [\n`),
  one('a tab', false, good.replace('  - name', '\t- name')),
  { name: 'an empty directory', starts: false, files: { 'a/README.md': 'text' } },
  { name: 'one bad file of two', starts: false, files: { 'a/1.yaml': good, 'a/2.yaml': 'x: 1' } },
  { name: 'the same name in two files', starts: false, files: { 'a/1.yaml': good, 'a/2.json': json } },
];

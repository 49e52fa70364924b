import t from 'tap';
import { findEntry, readDockerConfig } from '../../../../clouds/static/registry/docker-config.ts';
import { parseImageReference } from '../../../../lib/image-reference.ts';
import { fakeHost } from '../../fake-host.ts';

const file = '/docker.json';

/** The kubelet's own table of patterns and images. */
const patterns: readonly (readonly [pattern: string, image: string, covered: boolean])[] = [
  ['*.kubernetes.io', 'prefix.kubernetes.io/app', true],
  ['prefix.*.io', 'prefix.kubernetes.io/app', true],
  ['prefix.kubernetes.*', 'prefix.kubernetes.io/app', true],
  ['*-good.kubernetes.io', 'prefix-good.kubernetes.io/app', true],
  ['*.kubernetes.io/blah', 'prefix.kubernetes.io/blah/app', true],
  ['prefix.*.io/foo', 'prefix.kubernetes.io/foo/bar', true],
  ['*.kubernetes.io:1111/blah', 'prefix.kubernetes.io:1111/blah/app', true],
  ['prefix.*.io:1111/foo', 'prefix.kubernetes.io:1111/foo/bar', true],
  ['*.kubernetes.io', 'kubernetes.io/app', false],
  ['*.*.kubernetes.io', 'prefix.kubernetes.io/app', false],
  ['*kubernetes.io', 'a.kubernetes.io/app', false],
  ['*kubernetes.io', 'kubernetes.io/app', true],
  ['*.*.*.kubernetes.io', 'a.b.c.kubernetes.io/app', true],
  ['kubernetes.io', 'kubernetes.com/app', false],
  ['k*.io', 'quay.io/app', false],
  ['*.kubernetes.io:1234/blah', 'prefix.kubernetes.io:1111/blah/app', false],
  ['prefix.*.io/foo', 'prefix.kubernetes.io:1111/foo/bar', false],
  ['*.example', 'a.example:5000/app', false],
  ['*', 'a.example/app', false],
  ['a.example', 'axexample.com/app', false],
  ['*.a.example', 'x.axexample/app', false],
  // What docker login and its forerunners wrote.
  ['https://registry.example', 'registry.example/app', true],
  ['http://registry.example:5000/', 'registry.example:5000/app', true],
  ['https://registry.example/v1/', 'registry.example/app', true],
  ['registry.example/v2', 'registry.example/app', true],
  ['https://index.docker.io/v1/', 'library/app', true],
  ['index.docker.io', 'docker.io/library/app', true],
  ['docker.io', 'app', true],
  ['registry-1.docker.io', 'app', true],
  ['https://registry.example/v1/', 'registry.example:5000/app', false],
  // A version in the middle of a path is a folder like any other.
  ['registry.example/team/v1/app', 'registry.example/team/v1/app', true],
  ['registry.example/team/v1/app', 'registry.example/team/app', false],
  ['registry.example/v1beta', 'registry.example/v1beta/app', true],
  ['registry.example/team', 'registry.example/teammate/app', false],
];

for (const [pattern, image, covered] of patterns) {
  await t.test(`${pattern} ${covered ? 'covers' : 'does not cover'} ${image}`, async (t) => {
    t.equal((await find({ auths: { [pattern]: { username: 'u', password: 'p' } } }, image)) !== undefined, covered);
  });
}

await t.test('the most particular entry wins: the longest path, then a plain host before a pattern', async (t) => {
  const keys = [
    '*.example',
    '*.example/team',
    'registry.example',
    'registry.example/team',
    'registry.example/team/app',
  ];
  const auths = Object.fromEntries(keys.map((key) => [key, { username: key, password: 'p' }]));
  const rows = {
    'registry.example/team/app': 'registry.example/team/app',
    'registry.example/team/other': 'registry.example/team',
    'registry.example/other': 'registry.example',
    'another.example/team/app': '*.example/team',
    'another.example/other': '*.example',
  };
  for (const [image, key] of Object.entries(rows)) {
    t.equal((await find({ auths }, image))?.username, key, image);
  }
});

const logins: readonly (readonly [
  what: string,
  entry: object,
  username: string | undefined,
  password: string | undefined,
])[] = [
  ['auth', { auth: base64('user:word') }, 'user', 'word'],
  ['a colon in the password', { auth: base64('user:wo:rd') }, 'user', 'wo:rd'],
  ['zeros at its end, as old tools wrote', { auth: base64('user:word\0\0') }, 'user', 'word'],
  ['user name and password', { username: 'user', password: 'word' }, 'user', 'word'],
  ['auth before user name and password', { auth: base64('user:word'), username: 'x', password: 'y' }, 'user', 'word'],
  ['nothing, as a credential store leaves it', {}, undefined, undefined],
  ['an auth without a colon', { auth: base64('user') }, undefined, undefined],
  ['an auth that is no base64', { auth: '!!!' }, undefined, undefined],
];

for (const [what, entry, username, password] of logins) {
  await t.test(`an entry with ${what}`, async (t) => {
    const found = await find({ auths: { 'registry.example': entry } }, 'registry.example/app');
    t.equal(found?.username, username);
    t.equal(found?.password, password);
  });
}

await t.test('an entry with an identity token and no password fails with the reason', async (t) => {
  const auth = base64('00000000-0000-0000-0000-000000000000:');
  const found = await find({ auths: { 'registry.example': { auth, identitytoken: 'x' } } }, 'registry.example/app');
  t.equal(found?.password, undefined);
  t.match(found?.problem, 'identity token');
});

await t.test('an entry with a credential helper fails with the reason', async (t) => {
  const found = await find({ credHelpers: { 'registry.example': 'gcloud' } }, 'registry.example/app');
  t.match(found, { username: undefined, problem: /credential helper/ });
});

await t.test('a login in the file goes before a helper for the same host', async (t) => {
  const auths = { 'registry.example': { auth: base64('user:word') } };
  const found = await find({ credHelpers: { 'registry.example': 'x' }, auths }, 'registry.example/app');
  t.equal(found?.username, 'user');
});

for (const text of [
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '{"auths":[]}',
  '{"auths":{"a":"b"}}',
  '{"auths":{"a":{"auth":7}}}',
]) {
  await t.test(`${JSON.stringify(text)} is no docker config file`, async (t) => {
    await t.rejects(readDockerConfig(file, fakeHost({ [file]: text })), {
      kind: 'misconfigured',
      message: `docker config file ${file} is not a docker config file`,
    });
  });
}

await t.test('a file that does not exist is a mistake', async (t) => {
  await t.rejects(readDockerConfig(file, fakeHost({})), { kind: 'misconfigured', message: `${file} does not exist` });
});

await t.test('what docker keeps in the file besides is left alone', async (t) => {
  const content = {
    HttpHeaders: { 'User-Agent': 'x' },
    credsStore: 'pass',
    proxies: {},
    auths: { 'a.example': { email: 'x' } },
  };
  t.equal((await readDockerConfig(file, fakeHost({ [file]: JSON.stringify(content) }))).length, 1);
  t.strictSame(await readDockerConfig(file, fakeHost({ [file]: '{}' })), []);
});

await t.test('a file cannot change what all objects inherit', async (t) => {
  const text = '{"auths":{"__proto__":{"username":"polluted","password":"x"},"constructor":{}}}';
  await readDockerConfig(file, fakeHost({ [file]: text })).catch(() => []);
  t.notOk('username' in {});
});

async function find(content: object, image: string) {
  const reference = parseImageReference(image);
  if (reference === undefined) throw new Error(`${image} is no reference`);
  return findEntry(await readDockerConfig(file, fakeHost({ [file]: JSON.stringify(content) })), reference);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

import t from 'tap';
import { createStaticRegistry } from '../../../../clouds/static/registry/index.ts';
import type { StoredLogins } from '../../../../clouds/static/registry/index.ts';
import type { Login, Registry } from '../../../../clouds/cloud.ts';
import { parseImageReference } from '../../../../lib/image-reference.ts';
import { Secret } from '../../../../lib/secret.ts';
import { unusedContext } from '../../contexts.ts';
import { fakeHost } from '../../fake-host.ts';

const files = {
  '/user': 'whole-user\n',
  '/word': ' whole-word \n',
  '/team-user': 'team-user',
  '/team-word': 'team-word',
  '/x-user': 'x-user',
  '/x-word': 'x-word',
  '/empty': '\n',
  '/one.json': docker({ 'docker.example': 'one', 'registry.example': 'never' }),
  '/two.json': docker({
    'docker.example': 'two',
    'docker.example/x': 'x',
    'other.example/team': 'team',
    '*.wild.example': 'wild',
  }),
  '/store.json': JSON.stringify({ auths: { 'store.example': {} } }),
};

const logins = [
  { match: 'registry.example', usernameFile: '/user', passwordFile: '/word' },
  { match: 'registry.example/team', usernameFile: '/team-user', passwordFile: '/team-word' },
  { match: 'registry.example/x', usernameFile: '/x-user', passwordFile: '/x-word' },
];
const config: StoredLogins = { logins, dockerConfigFiles: ['/one.json', '/two.json'] };

const rows: readonly (readonly [image: string, authKey: string, username: string])[] = [
  ['registry.example/app', 'registry.example', 'whole-user'],
  ['registry.example/teammate/app', 'registry.example', 'whole-user'],
  ['registry.example/team/app', 'registry.example/team', 'team-user'],
  ['registry.example/team', 'registry.example/team', 'team-user'],
  ['registry.example/x/app', 'registry.example/x', 'x-user'],
  ['docker.example/app', 'docker.example', 'one'],
  ['docker.example/x/app', 'docker.example/x', 'x'],
  ['other.example/team/app', 'other.example/team', 'team'],
  ['a.wild.example/app', 'a.wild.example', 'wild'],
];

for (const [image, authKey, username] of rows) {
  await t.test(`${image} gets the login of ${username}, for ${authKey}`, async (t) => {
    const { registry, login } = await serve(image, config);
    t.match(registry, { kind: 'static', authKey });
    t.equal(registry?.endpoint, undefined);
    t.equal(login?.username, username);
    t.equal(login?.expiresAtMs, undefined);
    t.equal(login?.endsWithToken, false);
  });
}

for (const image of [
  'registry.example:5000/app',
  'sub.registry.example/app',
  'other.example/app',
  'a.b.wild.example/app',
  'app',
]) {
  await t.test(`${image} is not served`, async (t) => {
    t.equal((await serve(image, config)).registry, undefined);
  });
}

await t.test('a login for a part of a host is not for all of it', async (t) => {
  t.equal((await serve('registry.example/team/app', config)).registry?.servesWholeHost, false);
  t.equal((await serve('docker.example/app', config)).registry?.servesWholeHost, false, 'another entry has a path');
  const plain = { logins: [], dockerConfigFiles: ['/one.json'] };
  t.equal((await serve('docker.example/app', plain)).registry?.servesWholeHost, true);
});

await t.test('white space around a stored login is not part of it', async (t) => {
  t.equal((await serve('registry.example/app', config)).login?.password.reveal(), 'whole-word');
});

await t.test('a stored login goes before a docker config file', async (t) => {
  t.equal((await serve('registry.example/app', config)).login?.username, 'whole-user');
});

await t.test('logins are read anew each time', async (t) => {
  const changing: Record<string, string> = { ...files };
  const registry = await createStaticRegistry(config, fakeHost(changing));
  const match = registry.match(reference('registry.example/app'));
  const dockerMatch = registry.match(reference('docker.example/app'));
  t.ok(match && dockerMatch);
  if (!match || !dockerMatch) return;
  await registry.logIn(match, { kind: 'node' }, unusedContext);
  changing['/user'] = 'rotated';
  changing['/one.json'] = docker({ 'docker.example': 'rotated' });
  t.equal((await registry.logIn(match, { kind: 'node' }, unusedContext)).username, 'rotated');
  t.equal((await registry.logIn(dockerMatch, { kind: 'node' }, unusedContext)).username, 'rotated');
  changing['/one.json'] = '{}';
  await t.rejects(registry.logIn(dockerMatch, { kind: 'node' }, unusedContext), {
    kind: 'misconfigured',
    message: 'is gone',
  });
});

await t.test("a pod's token is never turned into the node's stored login", async (t) => {
  const registry = await createStaticRegistry(config, fakeHost(files));
  for (const image of ['registry.example/app', 'docker.example/app']) {
    const match = registry.match(reference(image));
    t.ok(match);
    const as = { kind: 'token', token: new Secret('signed'), role: {} } as const;
    const loggingIn = match === undefined ? undefined : registry.logIn(match, as, unusedContext);
    await t.rejects(async () => loggingIn, { name: 'Failure', kind: 'misconfigured', remedy: /tokenAttributes/ });
  }
});

const mistakes: readonly (readonly [what: string, changes: Partial<StoredLogins>, says: string])[] = [
  [
    'a file that is missing',
    { logins: [{ match: 'registry.example', usernameFile: '/nobody', passwordFile: '/word' }] },
    '/nobody does not exist',
  ],
  [
    'a file that is empty',
    { logins: [{ match: 'registry.example', usernameFile: '/user', passwordFile: '/empty' }] },
    '/empty is empty',
  ],
];

for (const [what, changes, says] of mistakes) {
  await t.test(`a stored login with ${what} is an error that names it`, async (t) => {
    await t.rejects(serve('registry.example/app', { ...config, ...changes }), { kind: 'misconfigured', message: says });
  });
}

await t.test('an entry without a login is an error that names it', async (t) => {
  const stores = { logins: [], dockerConfigFiles: ['/store.json'] };
  await t.rejects(serve('store.example/app', stores), {
    kind: 'misconfigured',
    message: 'entry store.example of /store.json',
  });
});

await t.test('no message shows a login', async (t) => {
  const broken = { logins: [], dockerConfigFiles: ['/secret.json'] };
  const content = {
    auths: { 'a.example': { username: 'hunter-user', auth: 'aHVudGVy', identitytoken: 'hunter-token' } },
  };
  const host = fakeHost({ '/secret.json': JSON.stringify(content) });
  const registry = await createStaticRegistry(broken, host);
  const match = registry.match(reference('a.example/app'));
  t.ok(match);
  if (!match) return;
  const error: unknown = await registry
    .logIn(match, { kind: 'node' }, unusedContext)
    .catch((thrown: unknown) => thrown);
  t.match(error, { kind: 'misconfigured' });
  t.notMatch(String(error), /hunter|aHVudGVy/);
});

interface Served {
  readonly registry: Registry | undefined;
  readonly login: Login | undefined;
}

async function serve(image: string, settings: StoredLogins): Promise<Served> {
  const service = await createStaticRegistry(settings, fakeHost(files));
  const registry = service.match(reference(image));
  return { registry, login: registry && (await service.logIn(registry, { kind: 'node' }, unusedContext)) };
}

function reference(image: string) {
  const parsed = parseImageReference(image);
  if (parsed === undefined) throw new Error(`${image} is no reference`);
  return parsed;
}

function docker(usernames: Readonly<Record<string, string>>): string {
  const entries = Object.entries(usernames).map(([key, username]) => [key, { username, password: 'word' }] as const);
  return JSON.stringify({ auths: Object.fromEntries(entries) });
}

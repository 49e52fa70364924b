import t from 'tap';
import type { Cloud, CloudEntry, Registry } from '../../../clouds/cloud.ts';
import { clouds } from '../../../clouds/index.ts';
import { parseConfigFile } from '../../../lib/config/parse-config.ts';
import { resolveRegistry } from '../../../lib/registry-login/resolve-registry.ts';
import type { ResolvedRegistry } from '../../../lib/registry-login/resolve-registry.ts';
import { parseImageReference } from '../../../lib/image-reference.ts';
import { unusedContext } from '../../clouds/contexts.ts';
import { defaultConfig } from '../../../schemas/config/defaults.ts';
import { bareTraits } from '../../clouds/bare-traits.ts';
import { fakeHost } from '../../clouds/fake-host.ts';

const host = fakeHost({
  '/docker.json': dockerConfig({ 'registry.example': 'user', 'public.ecr.aws': 'user' }),
  '/paths.json': dockerConfig({ 'registry.example': 'user', 'registry.example/team': 'team' }),
});
const ecr = '123456789012.dkr.ecr.us-east-1.amazonaws.com';

await t.test('without configuration the host tables decide', async (t) => {
  const found = await resolve(`${ecr}/team/app:1`, '');
  t.match(found, { authKey: ecr, servesWholeHost: true, registry: { kind: 'ecr', region: 'us-east-1' } });
  t.equal(found?.node.nodeIdentity, undefined);
  t.equal(await resolve('registry.example/app', ''), undefined);
  t.equal(await resolve('app', ''), undefined);
});

await t.test('a mirror gets the login of the registry behind it, under its own name', async (t) => {
  const config = `registries: [{ match: mirror.example:8443, as: ${ecr} }]`;
  const found = await resolve('mirror.example:8443/team/app', config);
  t.match(found, { authKey: 'mirror.example:8443', servesWholeHost: true, registry: { kind: 'ecr', authKey: ecr } });
  t.equal(await resolve('mirror.example/team/app', config), undefined, 'the port is part of the name');
  t.equal(await resolve('sub.mirror.example:8443/team/app', config), undefined);
});

await t.test('a path of a mirror can have its own entry, and then no login is for the whole host', async (t) => {
  const config = `registries: [{ match: mirror.example/hub, as: public.ecr.aws }, { match: mirror.example, as: ${ecr} }]`;
  t.match(await resolve('mirror.example/hub/app', config), {
    authKey: 'mirror.example/hub',
    servesWholeHost: false,
    registry: { kind: 'ecr-public' },
  });
  t.match(await resolve('mirror.example/hubris/app', config), {
    authKey: 'mirror.example',
    servesWholeHost: false,
    registry: { kind: 'ecr' },
  });
});

await t.test('the longest match wins, in any order', async (t) => {
  const entries = [
    `{ match: mirror.example, as: ${ecr} }`,
    `{ match: mirror.example/a/b, as: public.ecr.aws }`,
    `{ match: mirror.example/a, as: 210987654321.dkr.ecr.eu-west-1.amazonaws.com }`,
  ];
  for (const order of [entries, entries.toReversed()]) {
    const config = `registries: [${order.join(', ')}]`;
    const kinds = await Promise.all(
      ['mirror.example/x', 'mirror.example/a/x', 'mirror.example/a/b/x'].map(
        async (image) => (await resolve(image, config))?.registry.region,
      ),
    );
    t.strictSame(kinds, ['us-east-1', 'eu-west-1', 'us-east-1']);
  }
});

await t.test('a node identity is used exactly for the images that it is configured for', async (t) => {
  const config = `registries: [{ match: ${ecr}/team, nodeIdentity: pull }]`;
  t.match(await resolve(`${ecr}/team/app`, config), {
    node: { nodeIdentity: 'pull' },
    authKey: `${ecr}/team`,
    servesWholeHost: false,
  });
  const other = await resolve(`${ecr}/other/app`, config);
  t.match(other, { authKey: ecr, servesWholeHost: false }, 'the rest of the host must not be cached over it');
  t.equal(other?.node.nodeIdentity, undefined);
});

await t.test('a stored login takes precedence over the host tables', async (t) => {
  const config = `registries: [{ match: public.ecr.aws, login: { usernameFile: /user, passwordFile: /word } }]`;
  const found = await resolve('public.ecr.aws/alias/app', config);
  t.match(found, { authKey: 'public.ecr.aws', registry: { kind: 'static' } });
});

await t.test('a docker config file serves only registries that no cloud serves', async (t) => {
  const config = 'dockerConfigFiles: [/docker.json]';
  t.match(await resolve('registry.example/app', config), { registry: { kind: 'static' }, authKey: 'registry.example' });
  t.match(await resolve('public.ecr.aws/app', config), { registry: { kind: 'ecr-public' } });
});

await t.test('a mirror of a registry with a stored login gets that login', async (t) => {
  const config = 'dockerConfigFiles: [/docker.json]\nregistries: [{ match: mirror.example, as: registry.example }]';
  const found = await resolve('mirror.example/app', config);
  t.equal(found?.authKey, 'mirror.example');
  t.match(await logIn(found), { username: 'user' });
});

await t.test('a mirror has one login per path where the registry behind it has', async (t) => {
  const config = 'dockerConfigFiles: [/paths.json]\nregistries: [{ match: mirror.example, as: registry.example }]';
  const [team, rest] = [await resolve('mirror.example/team/app', config), await resolve('mirror.example/app', config)];
  t.equal(team?.servesWholeHost, false, 'or the kubelet gives this login to all images of the mirror');
  t.equal(rest?.servesWholeHost, false);
  t.match(await logIn(team), { username: 'team' });
  t.match(await logIn(rest), { username: 'user' });
});

for (const as of ['registry.example', 'docker.io', `${ecr}.evil.example`]) {
  await t.test(`a mirror of an unknown registry is a failure: ${as}`, async (t) => {
    const config = `registries: [{ match: mirror.example, as: ${as} }]`;
    await t.rejects(resolve('mirror.example/app', config), {
      kind: 'misconfigured',
      message: `mirror.example to ${as}`,
    });
    t.equal(await resolve('other.example/app', config), undefined, 'but only for its own images');
  });
}

await t.test('an identity for an unknown host is a failure', async (t) => {
  const config = 'registries: [{ match: registry.example, nodeIdentity: pull }]';
  await t.rejects(resolve('registry.example/app', config), { kind: 'misconfigured', message: 'its own host' });
});

await t.test('an `as` that is not a registry is a failure, and the image’s own host is not used', async (t) => {
  const image = parseImageReference(`${ecr}/app`);
  t.ok(image);
  for (const as of ['a..b', 'registry.example:99999', 'UPPER.example', 'user@registry.example']) {
    const config = { ...parseConfigFile('', 'x'), registries: [{ match: ecr, as }] };
    const available = { clouds, runtime: { env: {}, host: fakeHost({}) } };
    const resolving = async () => image && resolveRegistry(image, config, available);
    await t.rejects(resolving, { name: 'Failure', kind: 'misconfigured' }, as);
  }
});

await t.test('clouds are loaded in order, and none after the one that matches the host', async (t) => {
  const loaded: string[] = [];
  const available = {
    clouds: [toyCloud('none', loaded, undefined), toyCloud('first', loaded, 'one'), toyCloud('second', loaded, 'two')],
    runtime: { env: {}, host: fakeHost({}) },
  };
  const image = parseImageReference('registry.example/app');
  t.ok(image);
  if (image) t.match(await resolveRegistry(image, defaultConfig, available), { registry: { kind: 'one' } });
  t.strictSame(loaded, ['none', 'first']);
});

await t.test('the cloud whose traits include the host is the only one that is loaded', async (t) => {
  const loaded: string[] = [];
  const expected = { ...toyCloud('expected', loaded, 'own'), registryHosts: /^registry\.example$/ };
  const available = { clouds: [toyCloud('first', loaded, 'one'), expected], runtime: { env: {}, host: fakeHost({}) } };
  const image = parseImageReference('registry.example/app');
  const other = parseImageReference('other.example/app');
  if (image === undefined || other === undefined) throw new Error('an image cannot be parsed');
  t.match(await resolveRegistry(image, defaultConfig, available), { registry: { kind: 'own' } });
  t.strictSame(loaded, ['expected']);
  t.match(await resolveRegistry(other, defaultConfig, available), { registry: { kind: 'one' } });
});

const hosts: readonly (readonly [host: string, cloud: string])[] = [
  [ecr, 'aws'],
  ['public.ecr.aws', 'aws'],
  ['us-west1-docker.pkg.dev', 'gcp'],
  ['gcr.io', 'gcp'],
  ['acme.azurecr.io', 'azure'],
];
for (const [registryHost, cloud] of hosts) {
  await t.test(`${registryHost} loads the code of ${cloud} only`, async (t) => {
    const loaded: string[] = [];
    const recorded = clouds.map((entry): CloudEntry => ({
      ...entry,
      load: async (runtime, config) => {
        loaded.push(entry.name);
        return entry.load(runtime, config);
      },
    }));
    const image = parseImageReference(`${registryHost}/app`);
    const available = { clouds: recorded, runtime: { env: {}, host: fakeHost({}) } };
    t.match(image && (await resolveRegistry(image, defaultConfig, available)), { cloud });
    t.strictSame(loaded, [cloud]);
  });
}

await t.test('a cloud without registries is skipped', async (t) => {
  const bare: CloudEntry = { ...bareTraits('bare'), load: async () => ({ name: 'bare' }) };
  const available = { clouds: [bare], runtime: { env: {}, host: fakeHost({}) } };
  const image = parseImageReference('registry.example/app');
  if (image) t.equal(await resolveRegistry(image, defaultConfig, available), undefined);
});

async function resolve(image: string, config: string): Promise<ResolvedRegistry | undefined> {
  const reference = parseImageReference(image);
  if (reference === undefined) throw new Error(`${image} is no reference`);
  return resolveRegistry(reference, parseConfigFile(config, '/config.yaml'), { clouds, runtime: { env: {}, host } });
}

function logIn(resolved: ResolvedRegistry | undefined): Promise<unknown> {
  if (resolved === undefined) throw new Error('nothing was found');
  return resolved.service.logIn(resolved.registry, { kind: 'node' }, unusedContext);
}

function toyCloud(name: string, loaded: string[], kind: string | undefined): CloudEntry {
  const registry: Registry | undefined = kind === undefined ? undefined : { kind, authKey: 'x', servesWholeHost: true };
  const cloud: Cloud = {
    name,
    registry: { match: () => registry, logIn: async () => Promise.reject(new Error('no')) },
  };
  return {
    ...bareTraits(name),
    load: async () => {
      loaded.push(name);
      return cloud;
    },
  };
}

function dockerConfig(usernames: Readonly<Record<string, string>>): string {
  const entries = Object.entries(usernames).map(([key, username]) => [key, { username, password: 'word' }] as const);
  return JSON.stringify({ auths: Object.fromEntries(entries) });
}

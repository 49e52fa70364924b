import t from 'tap';
import { readConnectionSettings } from '../../../../clouds/openstack/identity/connection-settings.ts';
import type { SettingsSelection } from '../../../../clouds/openstack/identity/connection-settings.ts';
import { fakeHost } from '../../fake-host.ts';

const url = 'https://keystone.example.com/v3';
const cloudsYaml = (names: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    clouds: Object.fromEntries(
      Object.entries(names).map(([name, user]) => [name, { auth: { auth_url: url, username: user } }]),
    ),
  });
const home = '/home/nobody/.config/openstack/clouds.yaml';
const system = '/etc/openstack/clouds.yaml';
const ofEnvironment = { OS_AUTH_URL: url, OS_USERNAME: 'of OS_AUTH_URL' };
const files = { [home]: cloudsYaml({ a: 'a in home', b: 'b in home' }), [system]: cloudsYaml({ a: 'a in system' }) };

interface Case {
  readonly selection?: Partial<SettingsSelection>;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

async function usernameOf({ selection, env = {}, files: given = files }: Case): Promise<string | undefined> {
  const chosen = { cloud: undefined, cloudsFile: undefined, ...selection };
  return (await readConnectionSettings(chosen, { env, host: fakeHost(given) })).value('username');
}

const orders: Readonly<Record<string, Case & { readonly username: string }>> = {
  'the configuration names the cloud, before OS_CLOUD and the variables': {
    selection: { cloud: 'b' },
    env: { ...ofEnvironment, OS_CLOUD: 'a' },
    username: 'b in home',
  },
  'OS_CLOUD, before the variables': { env: { ...ofEnvironment, OS_CLOUD: 'a' }, username: 'a in home' },
  'the variables, before any file': { env: ofEnvironment, username: 'of OS_AUTH_URL' },
  'the only entry': { files: { [system]: files[system] }, username: 'a in system' },
  'the file of the configuration, before that of the variable': {
    selection: { cloudsFile: '/c.yaml', cloud: 'a' },
    env: { OS_CLIENT_CONFIG_FILE: '/v.yaml' },
    files: { ...files, '/c.yaml': cloudsYaml({ a: 'c' }), '/v.yaml': cloudsYaml({ a: 'v' }) },
    username: 'c',
  },
  'the file of the variable, before those of the home directory and the system': {
    env: { OS_CLIENT_CONFIG_FILE: '/v.yaml' },
    files: { ...files, '/v.yaml': cloudsYaml({ a: 'v' }) },
    username: 'v',
  },
  'the file of the system in JSON': {
    files: { '/etc/openstack/clouds.json': cloudsYaml({ a: 'json' }) },
    username: 'json',
  },
};
for (const [what, { username, ...given }] of Object.entries(orders)) {
  await t.test(what, async (t) => t.equal(await usernameOf(given), username));
}

await t.test('secure.yaml beside clouds.yaml adds what is missing, and wins', async (t) => {
  const secret = JSON.stringify({ clouds: { a: { auth: { password: 'p', username: 'secret user' } } } });
  const secureFiles: Readonly<Record<string, Case>> = {
    '/x/secure.yaml': { selection: { cloudsFile: '/x/clouds.yaml' } },
    '/y/secure.yaml': {
      selection: { cloudsFile: '/x/clouds.yaml' },
      env: { OS_CLIENT_SECURE_FILE: '/y/secure.yaml' },
    },
  };
  for (const [path, { selection, env = {} }] of Object.entries(secureFiles)) {
    const host = fakeHost({ '/x/clouds.yaml': cloudsYaml({ a: 'a' }), [path]: secret });
    const chosen = { cloud: undefined, cloudsFile: undefined, ...selection };
    const settings = await readConnectionSettings(chosen, { env, host });
    t.equal(settings.value('password'), 'p');
    t.equal(settings.value('username'), 'secret user');
    t.equal(settings.value('auth_url'), url);
  }
});

await t.test('OS_REGION_NAME chooses the region, unless our configuration names the cloud', async (t) => {
  const host = fakeHost({ [system]: '{clouds: {a: {region_name: R1, auth: {auth-url: "https://k"}}}}' });
  const env = { OS_REGION_NAME: 'R2' };
  const regionWith = async (cloud: string | undefined) =>
    (await readConnectionSettings({ cloud, cloudsFile: undefined }, { env, host })).value('region_name');
  t.equal(await regionWith(undefined), 'R2');
  t.equal(await regionWith('a'), 'R1');
});

await t.test('a key with a hyphen, a number and an empty value', async (t) => {
  const host = fakeHost({ [system]: '{clouds: {a: {auth: {auth-url: u, project-name: 7, password: ""}}}}' });
  const settings = await readConnectionSettings({ cloud: 'a', cloudsFile: undefined }, { env: {}, host });
  t.equal(settings.value('auth_url'), 'u');
  t.equal(settings.value('project_name'), '7');
  t.equal(settings.value('password'), undefined);
  t.throws(() => settings.required('password'), { kind: 'misconfigured', message: /^a in .* has no password$/ });
});

const mistakes: Readonly<Record<string, Case & { readonly message: RegExp }>> = {
  'there is nothing': { files: {}, message: /no OS_AUTH_URL and no clouds\.yaml/ },
  'OS_CLOUD without a file': { env: { OS_CLOUD: 'a' }, files: {}, message: /no clouds\.yaml for the cloud a/ },
  'several clouds, and none is chosen': { message: /clouds\.yaml has several clouds/ },
  'a cloud that is not there': { selection: { cloud: 'c' }, message: /clouds\.yaml has no cloud c$/ },
  'a cloud with the name of a property of every object': {
    selection: { cloud: 'constructor' },
    message: /has no cloud constructor$/,
  },
  'no YAML': { files: { [system]: 'clouds: {a: hidden' }, message: /clouds\.yaml, line 1: is not YAML/ },
  'no clouds': { files: { [system]: 'hidden: 1' }, message: /clouds\.yaml has no clouds$/ },
};
for (const [what, { message, ...given }] of Object.entries(mistakes)) {
  await t.test(`a mistake: ${what}`, async (t) => {
    const failed = usernameOf(given);
    await t.rejects(failed, { name: 'Failure', kind: 'misconfigured', message, remedy: /./ });
    const text = await failed.catch(String);
    t.notMatch(text, /hidden/);
  });
}

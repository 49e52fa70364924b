import t from 'tap';
import { connectionOf } from '../../../../clouds/openstack/identity/connection.ts';
import type { Connection } from '../../../../clouds/openstack/identity/connection.ts';
import { readConnectionSettings } from '../../../../clouds/openstack/identity/connection-settings.ts';
import { fakeHost } from '../../fake-host.ts';

type Values = Readonly<Record<string, unknown>>;

const authUrl = 'https://keystone.example.com/v3';
const user = { username: 'u', user_domain_name: 'Default', password: 'hidden' };
const project = { project_name: 'p', project_domain_id: 'default' };
const application = { application_credential_id: 'i', application_credential_secret: 'hidden' };
const authority = '-----BEGIN CERTIFICATE-----\nx';

async function connect(auth: Values, others: Values = {}): Promise<Connection> {
  const text = JSON.stringify({ clouds: { a: { ...others, auth: { auth_url: authUrl, ...auth } } } });
  const host = fakeHost({
    '/clouds.yaml': text,
    '/ca.pem': authority,
    '/home/nobody/ca.pem': authority,
    '/no.pem': 'hidden',
  });
  const settings = await readConnectionSettings({ cloud: 'a', cloudsFile: '/clouds.yaml' }, { env: {}, host });
  return connectionOf(settings, undefined, host);
}

const userInDomain = { name: 'u', domain: { name: 'Default' } };
const projectScope = { project: { name: 'p', domain: { id: 'default' } } };
const methods: Readonly<Record<string, { readonly auth: Values; readonly others?: Values; readonly method: object }>> =
  {
    'a user and a project by their names': {
      auth: { ...user, ...project },
      method: { is: 'password', user: userInDomain, scope: projectScope },
    },
    'a user and a project by their ids': {
      auth: { user_id: 'ui', password: 'hidden', project_id: 'pi' },
      method: { is: 'password', user: { id: 'ui' }, scope: { project: { id: 'pi' } } },
    },
    'the older name of a project, and one domain for both': {
      auth: { username: 'u', password: 'hidden', tenant_name: 'p', domain_id: 'default' },
      method: { is: 'password', user: { name: 'u', domain: { id: 'default' } }, scope: projectScope },
    },
    'a trust': {
      auth: { ...user, trust_id: 't' },
      method: { is: 'password', scope: { 'OS-TRUST:trust': { id: 't' } } },
    },
    'an application credential by its type': {
      auth: { ...application, ...user },
      others: { auth_type: 'v3applicationcredential' },
      method: { is: 'application_credential', credential: { id: 'i' } },
    },
    'an application credential without a type': {
      auth: application,
      method: { is: 'application_credential', credential: { id: 'i' } },
    },
    'an application credential by its name': {
      auth: {
        application_credential_name: 'n',
        application_credential_secret: 'hidden',
        username: 'u',
        user_domain_name: 'Default',
      },
      method: { is: 'application_credential', credential: { name: 'n', user: userInDomain } },
    },
    'a token that keeps its project': { auth: { token: 'hidden' }, method: { is: 'token', scope: undefined } },
    'a token, by its type, for a project': {
      auth: { token: 'hidden', ...project, password: 'hidden' },
      others: { auth_type: 'v3token' },
      method: { is: 'token', scope: projectScope },
    },
  };
for (const [what, { auth, others, method }] of Object.entries(methods)) {
  await t.test(what, async (t) => {
    const connection = await connect(auth, others);
    t.match(connection, { method, source: 'a in /clouds.yaml', interface: 'public', trustOnly: undefined });
    t.notMatch(JSON.stringify(connection), /hidden/, 'no secret is shown');
  });
}

for (const written of [authUrl, `${authUrl}/`, 'https://keystone.example.com', 'https://keystone.example.com/']) {
  await t.test(`auth_url ${written}`, async (t) => {
    t.equal((await connect({ ...application, auth_url: written })).authUrl.href, authUrl);
  });
}

await t.test('interface, region and certificates', async (t) => {
  const others = { endpoint_type: 'internalURL', region_name: 'R1', cacert: '~/ca.pem', verify: true };
  const connection = await connect(application, others);
  t.match(connection, { interface: 'internal', region: 'R1', trustOnly: authority });
  t.equal((await connect(application, { interface: 'admin', cacert: '/ca.pem' })).interface, 'admin');
});

const mistakes: Readonly<
  Record<string, { readonly auth?: Values; readonly others?: Values; readonly message: RegExp }>
> = {
  'no verification': { others: { verify: false }, message: /turns off the verification of certificates/ },
  'no verification, as text': { others: { verify: 'False' }, message: /turns off the verification/ },
  'the older word for no verification': { others: { insecure: 'true' }, message: /turns off the verification/ },
  'a certificate of the client': { others: { cert: '/a' }, message: /has cert, which is not supported/ },
  'a token of the system': { auth: { system_scope: 'all' }, message: /has system_scope/ },
  'Identity v2': { others: { identity_api_version: 2 }, message: /another version of the Identity API/ },
  'the address of v2': { auth: { auth_url: 'https://k/v2.0/' }, message: /auth_url of version 2/ },
  'no address': { auth: { auth_url: '' }, message: /has no auth_url$/ },
  'a profile': { auth: { auth_url: '' }, others: { profile: 'p' }, message: /profiles of vendors are not read/ },
  'an address with a password': { auth: { auth_url: 'https://u:hidden@k/v3' }, message: /auth_url that is not a URL/ },
  'an address that is none': { auth: { auth_url: 'hidden' }, message: /auth_url that is not a URL/ },
  'another kind of login': { others: { auth_type: 'v3oidcpassword' }, message: /auth_type that is not supported/ },
  'another interface': { others: { interface: 'hidden' }, message: /has an interface that is not one/ },
  'a file without certificates': { others: { cacert: '/no.pem' }, message: /^\/no\.pem, .* holds no certificate$/ },
  'an application credential without a secret': {
    auth: { application_credential_secret: '' },
    others: { auth_type: 'v3applicationcredential' },
    message: /has no application_credential_secret$/,
  },
};
for (const [what, { auth = {}, others = {}, message }] of Object.entries(mistakes)) {
  await t.test(`a mistake: ${what}`, async (t) => {
    const failed = connect({ ...application, ...auth }, others);
    await t.rejects(failed, { kind: 'misconfigured', message, remedy: /./ });
    t.notMatch(await failed.catch(String), /hidden/);
  });
}

const incomplete: Readonly<Record<string, readonly [auth: Values, message: RegExp]>> = {
  'no password': [{ username: 'u', user_domain_name: 'Default', ...project }, /has no password$/],
  'no project': [user, /names no project$/],
  'no domain of the user': [{ username: 'u', password: 'hidden', project_id: 'p' }, /names no domain of the user$/],
  'no domain of the project': [{ ...user, project_name: 'p' }, /names no domain of the project$/],
  'no user': [{ password: 'hidden', project_id: 'p' }, /has no username$/],
};
for (const [what, [auth, message]] of Object.entries(incomplete)) {
  await t.test(`a mistake: ${what}`, async (t) => {
    await t.rejects(connect(auth), { kind: 'misconfigured', message, remedy: /./ });
  });
}

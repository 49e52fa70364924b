import { generateKeyPairSync } from 'node:crypto';
import t from 'tap';
import type { Identity } from '../../../../clouds/cloud.ts';
import { nodeAccount, podAccount, userToken } from '../../../lab/clouds/gcp/state.ts';
import { secretMarker, showsSecret } from '../../../lab/clouds/secrets.ts';
import { clusterToken, externalFile as external, keyFile as key, trustFiles } from '../credential-files.ts';
import { startGcpLab } from '../gcp-lab.ts';
import type { GcpNodeOptions } from '../gcp-lab.ts';

const { lab, logLines: said, logIn, issueToken: prove, memberOf, requestLines: asked } = await startGcpLab(t);
const node: Identity = { kind: 'node' };
const path = '/etc/google/credentials.json';
const podEmailUrl = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${podAccount}:generateAccessToken`;

const user = {
  type: 'authorized_user',
  client_id: 'lab-client.apps.googleusercontent.com',
  client_secret: `${secretMarker}client`,
  refresh_token: userToken,
};
t.beforeEach(async () => {
  await lab.reset();
  await trustFiles(lab);
});

await t.test('a key: it signs for itself, and the place that the file names is not asked', async (t) => {
  const login = await logIn(node, named(key));
  t.equal(await memberOf(login), `serviceAccount:${nodeAccount}`);
  t.strictSame(await asked(), ['oauth2 POST /token']);
  t.ok((login.expiresAtMs ?? 0) > Date.now() + 3_500_000);
});

await t.test('what a person’s login left behind', async (t) => {
  const login = await logIn(node, named(user));
  t.equal(await memberOf(login), 'user:person@lab.example');
  t.strictSame(await asked(), ['oauth2 POST /token']);
});

await t.test('a token of another issuer in a file', async (t) => {
  const login = await logIn(node, named(external, { '/var/run/token': `${clusterToken()}\n` }));
  t.match(await memberOf(login), /^principal:\/\/.*default:puller$/);
  t.strictSame(await asked(), ['sts POST /v1/token']);
});

await t.test('the same as a field of a JSON file, and with an account to become', async (t) => {
  const credential_source = { file: '/var/run/token', format: { type: 'json', subject_token_field_name: 'jwt' } };
  const file = { ...external, credential_source, service_account_impersonation_url: podEmailUrl };
  const login = await logIn(node, named(file, { '/var/run/token': JSON.stringify({ jwt: clusterToken() }) }));
  t.equal(await memberOf(login), `serviceAccount:${podAccount}`);
});

await t.test('a token of another issuer at an address of the node’s own cloud', async (t) => {
  await lab.update({ metadata: { 'other/token': clusterToken() } });
  const url = `${lab.url('metadata')}/computeMetadata/v1/other/token`;
  const file = { ...external, credential_source: { url, headers: { 'Metadata-Flavor': 'Google' } } };
  t.match(await memberOf(await logIn(node, named(file))), /^principal:/);
});

for (const [what, source_credentials] of Object.entries({ key, user })) {
  await t.test(`an account to become, by a ${what}`, async (t) => {
    const file = {
      type: 'impersonated_service_account',
      service_account_impersonation_url: podEmailUrl,
      source_credentials,
    };
    const { serviceAccounts } = await lab.state();
    const target = serviceAccounts[podAccount];
    if (target === undefined) throw new Error('the lab has changed');
    const tokenCreators = [...target.tokenCreators, 'user:person@lab.example'];
    await lab.update({ serviceAccounts: { [podAccount]: { ...target, tokenCreators } } });
    t.equal(await memberOf(await logIn(node, named(file))), `serviceAccount:${podAccount}`);
  });
}

await t.test('nodeIdentity goes on from there, unless it is the file’s own', async (t) => {
  t.equal(
    await memberOf(await logIn({ kind: 'node', select: nodeAccount }, named(key))),
    `serviceAccount:${nodeAccount}`,
  );
  t.equal((await asked()).length, 1);
  t.equal(
    await memberOf(await logIn({ kind: 'node', select: podAccount }, named(key))),
    `serviceAccount:${podAccount}`,
  );
});

await t.test('the metadata server is never asked where a file was named', async (t) => {
  const wish = { env: { GOOGLE_APPLICATION_CREDENTIALS: path } };
  await t.rejects(logIn(node, wish), { kind: 'misconfigured', message: /there is no file/ });
  t.strictSame(await asked(), []);
});

const broken: readonly (readonly [what: string, file: unknown, says: RegExp])[] = [
  ['no JSON', 'x', /holds no credentials/],
  ['another type', { type: 'gdch_service_account' }, /a type that is not read here/],
  ['a type like a built-in', { type: 'constructor' }, /a type that is not read here/],
  ['a key without a key', { ...key, private_key: undefined }, /lacks private_key/],
  ['a key that is none', { ...key, private_key: `-----BEGIN PRIVATE KEY-----\n${secretMarker}\n` }, /cannot be used/],
  [
    'a key of an account that is not a service account',
    { ...key, client_email: 'a@b.example' },
    /client_email .* e-mail/,
  ],
  ['another universe', { ...key, universe_domain: 's3nsapis.fr' }, /another universe/],
  [
    'a program to run',
    { ...external, credential_source: { executable: { command: '/bin/false' } } },
    /credential_source/,
  ],
  [
    'AWS keys',
    {
      ...external,
      credential_source: { environment_id: 'aws1', url: 'http://169.254.169.254/x' },
      subject_token_type: 'urn:ietf:params:aws:token-type:aws4_request',
    },
    /subject_token_type/,
  ],
  [
    'a pool of people',
    { ...external, audience: '//iam.googleapis.com/locations/global/workforcePools/p/providers/x' },
    /audience/,
  ],
  ['an address without TLS', { ...external, credential_source: { url: 'http://evil.example/token' } }, /not allowed/],
  ['an address in another scheme', { ...external, credential_source: { url: 'file:///etc/shadow' } }, /not allowed/],
  ['no token in the file that it names', external, /there is no token in \/var\/run\/token/],
  [
    'an account to become in a path of its own',
    { ...external, service_account_impersonation_url: 'https://evil.example/../x' },
    /service_account_impersonation_url/,
  ],
  [
    'becoming twice',
    {
      type: 'impersonated_service_account',
      service_account_impersonation_url: podEmailUrl,
      source_credentials: { ...external, service_account_impersonation_url: podEmailUrl },
    },
    /impersonates twice/,
  ],
];
for (const [what, file, says] of broken) {
  await t.test(`${what}: refused without a request`, async (t) => {
    const error = await logIn(node, named(file)).catch((failure: unknown) => failure);
    t.match(error, { kind: 'misconfigured', message: says });
    t.strictSame(await asked(), []);
  });
}

await t.test('a key that Google does not know any more', async (t) => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  await t.rejects(logIn(node, named({ ...key, private_key: other })), {
    kind: 'denied',
    message: /does not accept the key of lab-node@.*: unknown, disabled or deleted/,
    remedy: /make a new key/,
  });
  t.equal((await asked()).length, 1, 'refusals are not repeated');
});

await t.test('a clock that is off', async (t) => {
  await lab.addFault({ service: 'oauth2', kind: 'clock', aheadMs: 3 * 3_600_000 });
  await t.rejects(logIn(node, named(key)), { kind: 'denied', message: /clock is 180 minutes behind Google's/ });
});

await t.test('what may pass is repeated by us, and not by the library as well', async (t) => {
  await lab.addFault({ service: 'oauth2', kind: 'status', status: 503, count: 2 });
  t.equal(await memberOf(await logIn(node, named(user))), 'user:person@lab.example');
  t.equal((await asked()).length, 3);
  await lab.reset();
  await lab.addFault({ service: 'oauth2', kind: 'reset' });
  await t.rejects(logIn(node, named(user)), { kind: 'unavailable', message: /closed the connection/ });
  t.equal((await asked()).length, 4);
});

const noAccessToken: readonly (readonly [what: string, body: unknown])[] = [
  ['null', null],
  ['a list', []],
  ['no token', { expires_in: 3_599 }],
  ['a token in a list', { access_token: [`${secretMarker}token`], expires_in: 3_599 }],
  ['a number as the token', { access_token: 12, expires_in: 3_599 }],
  ['a life that is no number', { access_token: `${secretMarker}token`, expires_in: ['3599'] }],
];
for (const [what, body] of noAccessToken) {
  await t.test(`the token endpoint returns ${what}: no login, and the file is not blamed`, async (t) => {
    for (const file of [key, user]) {
      await lab.addFault({ service: 'oauth2', kind: 'status', status: 200, body: JSON.stringify(body), count: 1 });
      await t.rejects(logIn(node, named(file)), { kind: 'invalid-response', message: /without a usable token/ });
    }
    t.strictSame(await asked(), ['oauth2 POST /token', 'oauth2 POST /token']);
  });
}

for (const id_token of [undefined, null, '', [`a.${encoded({ exp: 4_102_444_800 })}.b`], 'a.b.c']) {
  await t.test(`the token endpoint returns ${JSON.stringify(id_token)} as the identity token: no proof`, async (t) => {
    await lab.addFault({
      service: 'oauth2',
      kind: 'status',
      status: 200,
      body: JSON.stringify({ id_token }),
      count: 1,
    });
    await t.rejects(prove('aud', undefined, named(key)), { kind: 'invalid-response', message: /without a usable/ });
  });
}

await t.test('a redirect is not followed', async (t) => {
  await lab.addFault({ service: 'oauth2', kind: 'redirect', status: 307, location: lab.url('sts') });
  await t.rejects(logIn(node, named(key)), { kind: 'misconfigured', message: /redirect/ });
  t.strictSame(await asked(), ['oauth2 POST /token']);
});

await t.test('a proof: by the key itself, and by the account that was become', async (t) => {
  t.match(payload((await prove('aud', undefined, named(key))).token), { aud: 'aud', email: nodeAccount });
  t.match(payload((await prove('aud', podAccount, named(key))).token), { aud: 'aud', email: podAccount });
  const file = {
    type: 'impersonated_service_account',
    service_account_impersonation_url: podEmailUrl,
    source_credentials: key,
  };
  t.match(payload((await prove('aud', undefined, named(file))).token), { aud: 'aud', email: podAccount });
  await t.rejects(prove('aud', undefined, named(user)), { kind: 'misconfigured', message: /names no service account/ });
});

await t.test('no log has a secret', (t) => {
  t.ok(said.length > 10);
  t.notOk(showsSecret(said.join('\n')));
  t.notMatch(said.join('\n'), 'PRIVATE KEY');
  t.end();
});

function named(file: unknown, others?: Readonly<Record<string, string>>): GcpNodeOptions {
  const text = typeof file === 'string' ? file : JSON.stringify(file);
  return { env: { GOOGLE_APPLICATION_CREDENTIALS: path }, files: { [path]: text, ...others } };
}

function encoded(claims: object): string {
  return Buffer.from(JSON.stringify(claims)).toString('base64url');
}

function payload(jwt: string): unknown {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
}

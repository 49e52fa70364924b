import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import t from 'tap';
import { runOnLoopback } from '../loopback.ts';
import { showsSecret } from '../secrets.ts';
import { parseSignedToken } from '../signed-token.ts';
import { createTokenSigner } from '../token-signer.ts';
import { azure } from './cloud.ts';
import {
  deniedIdentity,
  exchangeAudience,
  labApplication,
  labIssuer,
  labSecret,
  labTenant,
  objectIdOf,
  otherTenant,
  partnerApplication,
  podIdentity,
  podSubject,
  systemIdentity,
  userIdentity,
} from './state.ts';

const lab = await runOnLoopback(azure, { plain: Object.keys(azure.services) });
const signer = createTokenSigner('ES256');
t.teardown(lab.stop);
t.beforeEach(async () => {
  await lab.reset();
  await lab.update({ issuers: { [labIssuer]: { keys: [signer.publicKey] } } });
});

const registryAudience = 'https://containerregistry.azure.net';
const tokenPath = `/metadata/identity/oauth2/token?api-version=2018-02-01&resource=${encodeURIComponent(registryAudience)}`;

interface RequestResult {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
}

interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
}

async function ask(service: string, path: string, { headers, form }: RequestOptions): Promise<RequestResult> {
  const method = form === undefined ? 'GET' : 'POST';
  const sent = httpRequest(new URL(path, lab.url(service)), { method, agent: false, headers: { ...headers } });
  sent.end(form === undefined ? undefined : new URLSearchParams(form).toString());
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = await json(response).catch(() => ({}));
  return { status: response.statusCode ?? 0, headers: response.headers, body: body as RequestResult['body'] };
}

const metadata = { headers: { metadata: 'true' } };
const acme = { host: 'acme.azurecr.io' };

await t.test('a token of the machine: as documented, signed, and marked', async (t) => {
  const { status, body } = await ask('imds', tokenPath, metadata);
  t.equal(status, 200);
  const names = ['access_token', 'client_id', 'expires_in', 'expires_on', 'ext_expires_in', 'not_before', 'resource'];
  t.strictSame(Object.keys(body), [...names, 'token_type']);
  const token = String(body['access_token']);
  t.match(parseSignedToken(token)?.claims, { aud: registryAudience, oid: objectIdOf(systemIdentity), tid: labTenant });
  t.ok(showsSecret(token));
});

const refusedByMetadata: readonly (readonly [what: string, path: string, asked: RequestOptions, says: RegExp])[] = [
  ['without its header', tokenPath, {}, /metadata header/],
  ['through a proxy', tokenPath, { headers: { metadata: 'true', 'x-forwarded-for': '10.0.0.1' } }, /X-Forwarded-For/],
  ['without a version', '/metadata/identity/oauth2/token?resource=x', metadata, /api-version/],
  ['without an audience', '/metadata/identity/oauth2/token?api-version=2018-02-01', metadata, /audience/],
  ['for an unknown identity', `${tokenPath}&client_id=${podIdentity}`, metadata, /Identity not found/],
  ['for an unknown audience', `${tokenPath}.evil`, metadata, /AADSTS500011/],
];
for (const [what, path, asked, says] of refusedByMetadata) {
  await t.test(`the metadata service refuses a question ${what}`, async (t) => {
    const { status, body } = await ask('imds', path, asked);
    t.equal(status, 400);
    t.match(body['error_description'], says);
  });
}

await t.test('several user-assigned identities and no system-assigned one: one has to be named', async (t) => {
  const { principals } = await lab.state();
  const system = principals[systemIdentity];
  if (system === undefined) throw new Error('there is none');
  await lab.update({ principals: { [systemIdentity]: { ...system, onMachine: false } } });
  t.match((await ask('imds', tokenPath, metadata)).body['error_description'], /Multiple user assigned/);
  t.equal((await ask('imds', `${tokenPath}&client_id=${userIdentity}`, metadata)).body['client_id'], userIdentity);
});

await t.test('what the machine is', async (t) => {
  const { body } = await ask('imds', '/metadata/instance?api-version=2021-02-01', metadata);
  t.match(body, { compute: { location: 'westeurope', zone: '2' }, network: { interface: [{ ipv4: {} }] } });
  t.equal((await ask('imds', '/metadata/instance', metadata)).status, 400);
});

const form = { grant_type: 'client_credentials', scope: `${registryAudience}/.default`, client_id: podIdentity };
const byToken = { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' };
const assertion = (claims: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> => ({
  ...form,
  ...byToken,
  client_assertion: podToken(claims),
});
const bySecret = { ...form, client_id: labApplication };

const refusedByEntra: readonly (readonly [code: number, form: Readonly<Record<string, string>>, tenant?: string])[] = [
  [90002, assertion({}), '99999999-9999-4999-8999-999999999999'],
  [700016, assertion({}), otherTenant],
  [700016, { ...assertion({}), client_id: 'dddddddd-0000-4000-8000-000000000001' }],
  [70003, { ...assertion({}), grant_type: 'password' }],
  [70011, { ...assertion({}), scope: registryAudience }],
  [500011, { ...assertion({}), scope: 'https://nobody.example/.default' }],
  [7000216, form],
  [7000215, { ...bySecret, client_secret: 'wrong' }],
  [50027, { ...form, ...byToken, client_assertion: 'a.b.c' }],
  [50027, { ...assertion({}), client_assertion_type: 'x' }],
  [700211, assertion({ iss: 'https://other.example' })],
  [700213, assertion({ sub: 'system:serviceaccount:default:other' })],
  [700212, assertion({ aud: 'vault' })],
  [700024, assertion({ exp: 1_700_000_000 })],
  [50013, { ...form, ...byToken, client_assertion: createTokenSigner('ES256').sign(podClaims({})) }],
  [700027, assertion({ iss: podIdentity })],
];
for (const [code, asked, tenant = labTenant] of refusedByEntra) {
  await t.test(`Entra responds with AADSTS${String(code)}`, async (t) => {
    const { status, body } = await ask('entra', `/${tenant}/oauth2/v2.0/token`, { form: asked });
    t.ok(status === 400 || status === 401);
    t.match(body, {
      error: /^[a-z_]+$/,
      error_codes: [code],
      error_description: new RegExp(`^AADSTS${String(code)}: `),
    });
  });
}

await t.test('an expired secret', async (t) => {
  const { principals } = await lab.state();
  const own = principals[labApplication];
  if (own === undefined) throw new Error('there is none');
  await lab.update({ principals: { [labApplication]: { ...own, secrets: [{ value: labSecret, expiresAtMs: 1 }] } } });
  const { body } = await ask('entra', `/${labTenant}/oauth2/v2.0/token`, {
    form: { ...bySecret, client_secret: labSecret },
  });
  t.strictSame(body['error_codes'], [7000222]);
});

await t.test('a managed identity is taken as proof, by the signature of Entra itself', async (t) => {
  const path = `/metadata/identity/oauth2/token?api-version=2018-02-01&resource=${encodeURIComponent(exchangeAudience)}`;
  const proof = String((await ask('imds', path, metadata)).body['access_token']);
  const asked = { ...form, ...byToken, client_id: partnerApplication, client_assertion: proof };
  const { status, body } = await ask('entra', `/${otherTenant}/oauth2/v2.0/token`, { form: asked });
  t.equal(status, 200);
  t.match(parseSignedToken(String(body['access_token']))?.claims, {
    tid: otherTenant,
    oid: objectIdOf(partnerApplication),
  });
});

await t.test('a registry names its token endpoint', async (t) => {
  const { status, headers, body } = await ask('registry', '/v2/', { headers: acme });
  t.equal(status, 401);
  t.equal(headers['www-authenticate'], 'Bearer realm="https://acme.azurecr.io/oauth2/token",service="acme.azurecr.io"');
  t.match(body, { errors: [{ code: 'UNAUTHORIZED' }] });
  t.equal((await ask('registry', '/v2/', { headers: { host: 'nobody.azurecr.io' } })).status, 404);
});

const exchange = async (token: string, more: object): Promise<RequestResult> =>
  ask('registry', '/oauth2/exchange', {
    headers: acme,
    form: { grant_type: 'access_token', service: 'acme.azurecr.io', access_token: token, ...more },
  });

await t.test('a login, and what a container runtime does with it', async (t) => {
  const { status, body } = await exchange(await machineToken(''), {});
  t.equal(status, 200);
  const password = String(body['refresh_token']);
  t.match((await lab.state()).registryLogins, [{ registry: 'acme.azurecr.io', objectId: objectIdOf(systemIdentity) }]);
  const credentials = Buffer.from(`00000000-0000-0000-0000-000000000000:${password}`).toString('base64');
  const asked = [
    { headers: { ...acme, authorization: `Basic ${credentials}` } },
    { headers: acme, form: { grant_type: 'refresh_token', refresh_token: password } },
    { headers: acme, form: { grant_type: 'password', username: '0', password } },
  ];
  for (const question of asked) {
    const given = await ask('registry', '/oauth2/token?service=acme.azurecr.io&scope=repository:a:pull', question);
    const authorization = `Bearer ${String(given.body['access_token'])}`;
    t.equal((await ask('registry', '/v2/', { headers: { ...acme, authorization } })).status, 200);
  }
  const wrong = { headers: acme, form: { grant_type: 'refresh_token', refresh_token: `${password}x` } };
  t.equal((await ask('registry', '/oauth2/token', wrong)).status, 401);
});

await t.test('no login without pull permission, nor for a token that is not for registries', async (t) => {
  const tokens = {
    'of one without the role': await machineToken(`&client_id=${deniedIdentity}`),
    'for another audience': String(
      (await ask('imds', tokenPath.replace(encodeURIComponent(registryAudience), exchangeAudience), metadata)).body[
        'access_token'
      ],
    ),
    'that somebody else signed': podToken({ oid: objectIdOf(systemIdentity), tid: labTenant, aud: registryAudience }),
    'that is none': 'x',
  };
  for (const [what, token] of Object.entries(tokens)) t.equal((await exchange(token, {})).status, 401, what);
  t.equal((await exchange(await machineToken(''), { service: 'other.azurecr.io' })).status, 400);
  await lab.addFault({ service: 'imds', kind: 'expired', count: 1 });
  t.equal((await exchange(await machineToken(''), {})).status, 401, 'an expired one');
  t.strictSame((await lab.state()).registryLogins, []);
});

await t.test('throttled in the words of each', async (t) => {
  for (const service of ['imds', 'entra', 'registry']) {
    await lab.addFault({ service, kind: 'throttle', retryAfterS: 5 });
    const { status, headers } = await ask(service, '/', metadata);
    t.strictSame([status, headers['retry-after']], [429, '5'], service);
  }
});

await t.test('what Entra publishes', async (t) => {
  const discovery = await ask('entra', `/${labTenant}/v2.0/.well-known/openid-configuration`, {});
  t.match(discovery.body, { token_endpoint: new RegExp(`/${labTenant}/oauth2/v2\\.0/token$`) });
  t.match((await ask('entra', '/common/discovery/v2.0/keys', {})).body, { keys: [{ kty: 'RSA', use: 'sig' }] });
});

async function machineToken(more: string): Promise<string> {
  return String((await ask('imds', `${tokenPath}${more}`, metadata)).body['access_token']);
}

function podClaims(claims: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  return { iss: labIssuer, sub: podSubject, aud: [exchangeAudience], exp, ...claims };
}

function podToken(claims: Readonly<Record<string, unknown>>): string {
  return signer.sign(podClaims(claims));
}

import { generateKeyPairSync } from 'node:crypto';
import t from 'tap';
import { JWT } from 'google-auth-library';
import { recorded } from '../../../clouds/gcp/recorded.ts';
import { runOnLoopback } from '../loopback.ts';
import { isSignedBy, parseSignedToken } from '../signed-token.ts';
import { createTokenSigner } from '../token-signer.ts';
import { gcp } from './cloud.ts';
import { mayPull } from './registry.ts';
import {
  cloudPlatform,
  deniedAccount,
  labIssuer,
  nodeAccount,
  podAccount,
  providerName,
  pullerSubject,
} from './state.ts';

const lab = await runOnLoopback(gcp, { plain: [] });
t.teardown(lab.stop);
const signer = createTokenSigner('ES256');
const provider = `//iam.googleapis.com/${providerName}`;

t.beforeEach(async () => {
  await lab.reset();
  await trust({ keys: [signer.publicKey] });
});

await t.test('a token of a trusted issuer becomes an access token that may pull', async (t) => {
  const { status, body } = await exchange({});
  t.match(body, { issued_token_type: /access_token$/, token_type: 'Bearer', expires_in: Number });
  t.equal(status, 200);
  t.ok(
    mayPull({ username: 'oauth2accesstoken', password: String(body['access_token']) }, await lab.state(), Date.now()),
  );
});

await t.test('it lives no longer than the token that it was exchanged for', async (t) => {
  const { body } = await exchange({ subject_token: token({ exp: nowS() + 100 }) });
  t.ok(Number(body['expires_in']) <= 100);
});

const refused: readonly (readonly [what: string, input: object, error: string, says: RegExp])[] = [
  ['another grant', { grant_type: 'x' }, 'invalid_request', /grant_type/],
  ['another kind of token wanted', { requested_token_type: 'x' }, 'invalid_request', /requested_token_type/],
  ['another kind of token shown', { subject_token_type: 'x' }, 'invalid_request', /subject_token_type/],
  [
    'an audience that names a pool',
    { audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p' },
    'invalid_request',
    /"audience"/,
  ],
  ['a provider that does not exist', { audience: `${provider}x` }, 'invalid_target', /disabled or deleted/],
  ['no scope', { scope: '' }, 'invalid_scope', /scopes/],
  ['no token', { subject_token: 'x' }, 'invalid_grant', /parse/],
  [
    'a token of another issuer',
    { subject_token: token({ iss: 'https://evil.example' }) },
    'invalid_grant',
    /issuer in ID Token/,
  ],
  ['a token for somebody else', { subject_token: token({ aud: 'vault' }) }, 'invalid_grant', /audience in ID Token/],
  ['a token that has expired', { subject_token: token({ exp: 1_700_000_000 }) }, 'invalid_grant', /stale/],
  [
    'a token that another key signed',
    { subject_token: token({}, createTokenSigner('ES256')) },
    'invalid_grant',
    /signature/,
  ],
];
for (const [what, input, error, says] of refused) {
  await t.test(`refused: ${what}`, async (t) => {
    t.match(await exchange(input), { status: 400, body: { error, error_description: says } });
  });
}

await t.test('an attribute condition', async (t) => {
  await trust({ keys: [signer.publicKey], subjects: ['somebody-else'] });
  t.strictSame(await exchange({}), shape('sts-attribute-condition'));
});

await t.test('its refusals are those that were recorded, to the letter', async (t) => {
  t.strictSame(await exchange({ audience: `${provider}x` }), shape('sts-invalid-target'));
  const nobody = await nodeToken([cloudPlatform]);
  t.strictSame(await generate(deniedAccount, nobody, {}), shape('iam-permission-denied'));
});

await t.test('an account that is taken on, and one that is not', async (t) => {
  const { status, body } = await generate(podAccount, await nodeToken([cloudPlatform]), {});
  t.equal(status, 200);
  const password = String(body['accessToken']);
  t.ok(Date.parse(String(body['expireTime'])) > Date.now());
  t.ok(mayPull({ username: '_token', password }, await lab.state(), Date.now()));
  t.notOk(mayPull({ username: 'AWS', password }, await lab.state(), Date.now()), 'by its user name');
  t.notOk(mayPull({ username: '_token', password }, await lab.state(), Date.now() + 3_700_000), 'later');
  t.match(await generate('nobody@x.iam.gserviceaccount.com', await nodeToken([cloudPlatform]), {}), { status: 404 });
  t.match(await generate(podAccount, 'ya29.unknown', {}), {
    status: 401,
    body: { error: { status: 'UNAUTHENTICATED' } },
  });
  t.match(await generate(podAccount, await nodeToken(['https://www.googleapis.com/auth/devstorage.read_only']), {}), {
    status: 403,
    body: { error: { details: [{ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }] } },
  });
  t.match(await generate(podAccount, await nodeToken([cloudPlatform]), { scope: [] }), { status: 400 });
  t.match(await generate(podAccount, await nodeToken([cloudPlatform]), { lifetime: '7200s' }), { status: 400 });
});

await t.test('a chain of accounts: each has to be allowed the next', async (t) => {
  const { serviceAccounts } = await lab.state();
  const denied = serviceAccounts[deniedAccount];
  if (denied === undefined) throw new Error('the lab has changed');
  await lab.update({
    serviceAccounts: { [deniedAccount]: { ...denied, tokenCreators: [`serviceAccount:${podAccount}`] } },
  });
  const base = await nodeToken([cloudPlatform]);
  t.match(await generate(deniedAccount, base, {}), { status: 403 });
  const delegates = [`projects/-/serviceAccounts/${podAccount}`];
  t.match(await generate(deniedAccount, base, { delegates }), { status: 200 });
});

await t.test('Google’s own library signs in with a key, and with no other', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { serviceAccounts } = await lab.state();
  const account = serviceAccounts[nodeAccount];
  if (account === undefined) throw new Error('the lab has changed');
  await lab.update({ serviceAccounts: { [nodeAccount]: { ...account, keys: [publicKey.export({ format: 'jwk' })] } } });
  const signIn = async (key: string): Promise<unknown> => {
    const assertions: string[] = [];
    const client = new JWT({
      email: nodeAccount,
      key,
      scopes: [cloudPlatform],
      transporterOptions: {
        adapter: async (options) => {
          if (options.body instanceof URLSearchParams) assertions.push(options.body.toString());
          return Promise.reject(new Error('seen'));
        },
        retryConfig: { shouldRetry: () => false },
      },
    });
    await client.authorize().catch(() => undefined);
    return (
      await fetch(`${lab.url('oauth2')}/token`, { method: 'POST', body: new URLSearchParams(assertions[0]) })
    ).json();
  };
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  t.match(await signIn(pem), { access_token: /^ya29/, expires_in: 3599 });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  t.strictSame(await signIn(other.toString()), shape('oauth2-bad-signature').body);
  await lab.addFault({ service: 'oauth2', kind: 'clock', aheadMs: 2 * 3_600_000 });
  t.match(await signIn(pem), { error: 'invalid_grant', error_description: /reasonable timeframe/ });
});

await t.test('identity tokens are signed for who was taken on', async (t) => {
  const base = await nodeToken([cloudPlatform]);
  const { body } = await generate(podAccount, base, { audience: 'me' }, 'generateIdToken');
  const parsed = parseSignedToken(String(body['token']));
  t.match(parsed?.claims, { aud: 'me', email: podAccount });
  const { identityKeys } = await lab.state();
  t.ok(parsed && identityKeys.some((key) => isSignedBy(parsed, key)));
});

await t.test('a host that is another service’s is not answered', async (t) => {
  const other = await gcp.services['sts']?.respond(
    { service: 'sts', host: 'iamcredentials.googleapis.com', method: 'POST', path: '/v1/token', headers: {}, body: '' },
    await lab.state(),
    { nowMs: Date.now(), expiry: 'usual' },
  );
  t.equal(other?.status, 421);
});

interface LabResult {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function exchange(input: object): Promise<LabResult> {
  const usual = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    audience: provider,
    scope: cloudPlatform,
    subject_token: token({}),
  };
  const body = new URLSearchParams({ ...usual, ...input });
  return resultOf(await fetch(`${lab.url('sts')}/v1/token`, { method: 'POST', body }));
}

async function generate(email: string, bearer: string, input: object, method?: string): Promise<LabResult> {
  const url = `${lab.url('iam-credentials')}/v1/projects/-/serviceAccounts/${email}:${method ?? 'generateAccessToken'}`;
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ scope: [cloudPlatform], ...input });
  return resultOf(await fetch(url, { method: 'POST', headers, body }));
}

async function nodeToken(scopes: readonly string[]): Promise<string> {
  await lab.update({ instance: { scopes } });
  const url = `${lab.url('metadata')}/computeMetadata/v1/instance/service-accounts/default/token`;
  const { body } = await resultOf(await fetch(url, { headers: { 'Metadata-Flavor': 'Google' } }));
  return String(body['access_token']);
}

async function resultOf(response: Response): Promise<LabResult> {
  return { status: response.status, body: (await response.json()) as LabResult['body'] };
}

function shape(name: string): LabResult {
  const { status, body } = recorded(name);
  return { status, body: body as LabResult['body'] };
}

async function trust(change: object): Promise<void> {
  const known = (await lab.state()).providers[provider];
  if (known === undefined) throw new Error('the lab has changed');
  await lab.update({ providers: { [provider]: { ...known, ...change } } });
}

function token(claims: object, by = signer): string {
  const usual = { iss: labIssuer, aud: provider, sub: pullerSubject, iat: nowS(), exp: nowS() + 3600 };
  return by.sign({ ...usual, ...claims });
}

function nowS(): number {
  return Math.floor(Date.now() / 1000);
}

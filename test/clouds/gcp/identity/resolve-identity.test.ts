import t from 'tap';
import type { Identity } from '../../../../clouds/cloud.ts';
import { Secret } from '../../../../lib/secret.ts';
import {
  clusterIssuer,
  clusterPool,
  deniedAccount,
  labIssuer,
  nodeAccount,
  podAccount,
  providerName,
  pullerSubject,
} from '../../../lab/clouds/gcp/state.ts';
import { createTokenSigner } from '../../../lab/clouds/token-signer.ts';
import { startGcpLab } from '../gcp-lab.ts';

const { lab, logIn, memberOf, requestLines: asked } = await startGcpLab(t);
const signer = createTokenSigner('ES256');
const node: Identity = { kind: 'node' };
const poolMember = `principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/lab/subject/${pullerSubject}`;
const tokenPath = 'metadata GET /computeMetadata/v1/instance/service-accounts/default/token';
const becomePod = `iam-credentials POST /v1/projects/-/serviceAccounts/${encodeURIComponent(podAccount)}:generateAccessToken`;

t.beforeEach(async () => {
  await lab.reset();
  const { providers } = await lab.state();
  const trusting = Object.entries(providers).map(([name, provider]) => [
    name,
    { ...provider, keys: [signer.publicKey] },
  ]);
  await lab.update({ providers: Object.fromEntries(trusting) as typeof providers });
});

await t.test('the node: one request, and its token is the password', async (t) => {
  const startedAtMs = Date.now();
  const login = await logIn(node, {});
  t.match(login, { username: 'oauth2accesstoken', endsWithToken: false });
  const expiresAtMs = login.expiresAtMs ?? 0;
  t.ok(expiresAtMs > startedAtMs + 3_590_000 && expiresAtMs <= Date.now() + 3_600_000, `${expiresAtMs}`);
  t.equal(await memberOf(login), `serviceAccount:${nodeAccount}`);
  t.strictSame(await asked(), [tokenPath]);
  t.match(await lab.requests(), [{ headers: { 'metadata-flavor': 'Google' } }]);
});

await t.test('another account of the same instance, by its e-mail address', async (t) => {
  await lab.update({ instance: { serviceAccounts: [nodeAccount, deniedAccount] } });
  const login = await logIn({ kind: 'node', select: deniedAccount }, {});
  t.equal(await memberOf(login), `serviceAccount:${deniedAccount}`);
  t.equal((await asked()).length, 1);
});

await t.test('an account that is not the instance’s is impersonated, and no other', async (t) => {
  const login = await logIn({ kind: 'node', select: podAccount }, {});
  t.equal(await memberOf(login), `serviceAccount:${podAccount}`);
  t.strictSame((await asked()).slice(1), [tokenPath, becomePod]);
  await t.rejects(logIn({ kind: 'node', select: deniedAccount }, {}), {
    kind: 'denied',
    message: /denied iam\.serviceAccounts\.getAccessToken to the instance's service account$/,
    remedy: /roles\/iam\.serviceAccountTokenCreator .* on lab-denied@/,
  });
});

await t.test('a role of the node: from its own account to that one', async (t) => {
  const login = await logIn({ kind: 'node', role: { 'iam.gke.io/gcp-service-account': podAccount } }, {});
  t.equal(await memberOf(login), `serviceAccount:${podAccount}`);
});

const bad = ['x', 'a b@c.iam.gserviceaccount.com', 'a@evil.example', 'a@evilgserviceaccount.com', '../x'];
for (const select of bad) {
  await t.test(`nodeIdentity ${select} is refused without a request`, async (t) => {
    await t.rejects(logIn({ kind: 'node', select }, {}), { kind: 'misconfigured', message: /e-mail address/ });
    t.strictSame(await asked(), []);
  });
}

await t.test('an instance without a service account', async (t) => {
  await lab.update({ instance: { serviceAccounts: [] } });
  await t.rejects(logIn(node, {}), { kind: 'misconfigured', message: /no service account/, remedy: /attach/ });
});

const audiences: readonly (readonly [what: string, aud: string, role: Readonly<Record<string, string>>])[] = [
  ['by its token’s own audience', `https://iam.googleapis.com/${providerName}`, {}],
  ['by the short form of it', `//iam.googleapis.com/${providerName}`, {}],
  [
    'by an annotation',
    `https://iam.googleapis.com/${providerName}`,
    { 'cloud.google.com/workload-identity-provider': providerName },
  ],
];
for (const [what, aud, role] of audiences) {
  await t.test(`a pod is its own principal; its provider is found ${what}`, async (t) => {
    const login = await logIn({ kind: 'token', token: podToken({ aud: [aud] }), role }, {});
    t.equal(await memberOf(login), poolMember);
    t.strictSame(await asked(), ['sts POST /v1/token'], 'and never the node’s');
  });
}

await t.test('a pod, and the provider that the configuration names', async (t) => {
  const { providers } = await lab.state();
  const name = `//iam.googleapis.com/${providerName}`;
  const provider = providers[name];
  if (provider === undefined) throw new Error('the lab has no such provider');
  await lab.update({ providers: { [name]: { ...provider, audiences: ['mine'] } } });
  const as: Identity = { kind: 'token', token: podToken({ aud: ['mine'] }), role: {} };
  const login = await logIn(as, { config: { workloadIdentityProvider: providerName } });
  t.equal(await memberOf(login), poolMember);
});

await t.test('a pod of a GKE cluster: the pool that every cluster has', async (t) => {
  const token = podToken({ aud: [clusterPool], iss: clusterIssuer });
  const login = await logIn({ kind: 'token', token, role: {} }, {});
  t.match(await memberOf(login), /workloadIdentityPools\/lab-project\.svc\.id\.goog\/subject\/system/);
  const [request] = await lab.requests();
  t.equal(
    new URLSearchParams(request?.body).get('audience'),
    `identitynamespace:lab-project.svc.id.goog:${clusterIssuer}`,
  );
});

for (const key of ['iam.gke.io/gcp-service-account', 'cloud.google.com/service-account-email']) {
  await t.test(`a pod whose service account names another to become, by ${key}`, async (t) => {
    const login = await logIn({ kind: 'token', token: podToken({}), role: { [key]: podAccount } }, {});
    t.equal(await memberOf(login), `serviceAccount:${podAccount}`);
    t.strictSame(await asked(), ['sts POST /v1/token', becomePod]);
  });
}

const unmatchedTokens: readonly (readonly [
  what: string,
  claims: object,
  role: Readonly<Record<string, string>>,
  says: RegExp,
])[] = [
  ['a token with a foreign audience', { aud: ['vault'] }, {}, /made for no workload identity pool/],
  [
    'an annotation that names a pool only',
    {},
    { 'cloud.google.com/workload-identity-provider': 'projects/1/locations/global/workloadIdentityPools/p' },
    /not the name of a workload identity pool's provider/,
  ],
  [
    'an annotation with a project’s name in place of its number',
    {},
    {
      'cloud.google.com/workload-identity-provider': 'projects/p/locations/global/workloadIdentityPools/p/providers/x',
    },
    /not the name/,
  ],
  [
    'an annotation that is no e-mail address',
    {},
    { 'iam.gke.io/gcp-service-account': 'lab-pod' },
    /iam\.gke\.io\/gcp-service-account .* e-mail address/,
  ],
  [
    'a GKE pool’s audience from another issuer',
    { aud: [clusterPool], iss: labIssuer },
    {},
    /made for no workload identity pool/,
  ],
];
for (const [what, claims, role, says] of unmatchedTokens) {
  await t.test(`a pod with ${what} is refused, and never logs in as the node`, async (t) => {
    const as: Identity = { kind: 'token', token: podToken(claims), role };
    await t.rejects(logIn(as, {}), { kind: 'misconfigured', message: says, remedy: /projects\/NUMBER|NAME@PROJECT/ });
    t.strictSame(await asked(), []);
  });
}

await t.test('a token that is no token at all', async (t) => {
  const as: Identity = { kind: 'token', token: new Secret('not.a.token'), role: {} };
  await t.rejects(logIn(as, {}), { kind: 'misconfigured', message: /made for no workload identity pool/ });
});

await t.test('the scopes of the configuration are asked for', async (t) => {
  const scopes = ['https://www.googleapis.com/auth/cloud-platform.read-only'];
  await logIn({ kind: 'token', token: podToken({}), role: {} }, { config: { scopes } });
  const [request] = await lab.requests();
  t.equal(new URLSearchParams(request?.body).get('scope'), scopes[0]);
});

/** As the API server mints it for a pod that runs under the service account `default/puller`. */
function podToken(claims: object): Secret {
  const nowS = Math.floor(Date.now() / 1000);
  const usual = { iss: labIssuer, aud: [`https://iam.googleapis.com/${providerName}`], sub: pullerSubject };
  return new Secret(signer.sign({ ...usual, iat: nowS, exp: nowS + 3600, ...claims }));
}

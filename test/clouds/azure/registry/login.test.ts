import t from 'tap';
import { expiryIn } from '../../../../clouds/azure/registry/login.ts';
import { Secret } from '../../../../lib/secret.ts';
import {
  labIssuer,
  objectIdOf,
  otherTenant,
  partnerApplication,
  podIdentity,
  podSubject,
  systemIdentity,
} from '../../../lab/clouds/azure/state.ts';
import { startAzureLab } from '../azure-lab.ts';

const azure = await startAzureLab(t);
const { lab } = azure;
const image = 'acme.azurecr.io/team/app:1';
const nullName = '00000000-0000-0000-0000-000000000000';

await t.test('the node logs in as its managed identity: three requests, and no more than one of each', async (t) => {
  const login = await azure.logIn(image, { kind: 'node' }, {});
  const [issued] = (await lab.state()).registryLogins;
  t.match(login, { username: nullName, endsWithToken: false, expiresAtMs: issued?.expiresAtMs });
  t.ok(login.password.reveal() === issued?.password, 'the password is the one that was issued');
  t.equal(issued?.objectId, objectIdOf(systemIdentity));
  const resource = encodeURIComponent('https://containerregistry.azure.net');
  t.strictSame(await azure.requestLines(), [
    'GET acme.azurecr.io /v2/',
    `GET imds /metadata/identity/oauth2/token?api-version=2018-02-01&resource=${resource}`,
    'POST acme.azurecr.io /oauth2/exchange',
  ]);
});

await t.test('the two requests to the registry share one connection', async (t) => {
  await azure.logIn(image, { kind: 'node' }, {});
  const connections = (await lab.requests())
    .filter(({ service }) => service === 'registry')
    .map((each) => each.connection);
  t.equal(connections.length, 2);
  t.equal(new Set(connections).size, 1);
});

await t.test('the registry is asked while the metadata service takes its time', async (t) => {
  await lab.addFault({ service: 'imds', kind: 'delay', delayMs: 150 });
  await azure.logIn(image, { kind: 'node' }, {});
  const requests = await lab.requests();
  const at = (path: string): number => requests.find((each) => each.path.startsWith(path))?.receivedAtMs ?? 0;
  t.ok(at('/v2/') - at('/metadata') < 100, 'both were asked at once');
  t.ok(at('/oauth2/exchange') - at('/metadata') >= 140);
});

for (const host of [
  'acme.azurecr.us',
  'acme.azurecr.cn',
  'acme.azurecr.de',
  'acme-a1b2c3d4e5f6a7b8.azurecr.io',
  'acme.westeurope.geo.azurecr.io',
]) {
  await t.test(`a login for ${host}`, async (t) => {
    const { password } = await azure.logIn(`${host}/app`, { kind: 'node' }, {});
    const [issued] = (await lab.state()).registryLogins;
    t.ok(issued !== undefined && password.reveal() === issued.password);
    t.ok((await azure.requestLines()).includes(`POST ${host} /oauth2/exchange`));
  });
}

await t.test('a login for a registry of an Azure that only the configuration knows', async (t) => {
  const config = { registrySuffixes: ['azurecr.lab.example'], authorityHost: 'https://login.lab.example' };
  await azure.logIn('acme.azurecr.lab.example/app', pod({}), { config });
  t.match(await azure.requestLines(), [/^GET acme/, /^POST acme/, /^POST login\.lab\.example /]);
});

const realms: readonly (readonly [what: string, realm: string])[] = [
  ['another host', 'https://evil.example/oauth2/token'],
  ['another registry', 'https://other.azurecr.io/oauth2/token'],
  ['plain http', 'http://acme.azurecr.io/oauth2/token'],
  ['a port', 'https://acme.azurecr.io:8443/oauth2/token'],
  ['user-info', 'https://acme.azurecr.io@evil.example/oauth2/token'],
  ['user-info before its own name', 'https://a:b@acme.azurecr.io/oauth2/token'],
  ['a longer name', 'https://acme.azurecr.io.evil.example/oauth2/token'],
  ['no address', 'acme.azurecr.io'],
  ['a file', 'file:///etc/passwd'],
];
for (const [what, realm] of realms) {
  await t.test(
    `a registry that names ${what} as the place for logins gets no token, nor does that place`,
    async (t) => {
      const own = (await lab.state()).registries['acme.azurecr.io'];
      await lab.update({ registries: { 'acme.azurecr.io': { ...own, tenantId: '', pullers: [], realm } } });
      await t.rejects(azure.logIn(image, { kind: 'node' }, {}), {
        kind: 'denied',
        message: /another host for its login/,
      });
      t.notOk((await azure.requestLines()).some((request) => request.startsWith('POST')));
    },
  );
}

await t.test('a regional host may send us to the host without a region, and to no other', async (t) => {
  const own = (await lab.state()).registries['acme.azurecr.io'];
  const update = async (realm: string): Promise<void> =>
    lab.update({ registries: { 'acme.azurecr.io': { tenantId: '', pullers: [], ...own, realm } } });
  await update('https://acme.azurecr.io/oauth2/token');
  await azure.logIn('acme.westeurope.geo.azurecr.io/app', { kind: 'node' }, {});
  t.ok((await azure.requestLines()).includes('POST acme.azurecr.io /oauth2/exchange'));
  await update('https://acme.eastus.geo.azurecr.io/oauth2/token');
  await t.rejects(azure.logIn('acme.westeurope.geo.azurecr.io/app', { kind: 'node' }, {}), /another host/);
});

await t.test('a redirect is never followed', async (t) => {
  await lab.addFault({ service: 'registry', kind: 'redirect', status: 307, location: 'https://acme.azurecr.us/' });
  await t.rejects(azure.logIn(image, { kind: 'node' }, {}), { kind: 'misconfigured', message: /redirect/ });
});

await t.test('an exchange without a refresh token is a failure, not an empty password', async (t) => {
  const body = JSON.stringify({ access_token: 'x' });
  await lab.addFault({ service: 'registry', pathPrefix: '/oauth2', kind: 'status', status: 200, body });
  await t.rejects(azure.logIn(image, { kind: 'node' }, {}), { kind: 'invalid-response', message: /did not answer/ });
});

await t.test('an expired login has its time of expiry, and one without has none', async (t) => {
  await lab.addFault({ service: 'registry', kind: 'expired', count: 2 });
  t.ok(((await azure.logIn(image, { kind: 'node' }, {})).expiresAtMs ?? Infinity) < Date.now());
  await lab.addFault({ service: 'registry', kind: 'no-expiry' });
  t.equal((await azure.logIn(image, { kind: 'node' }, {})).expiresAtMs, undefined);
});

await t.test('the expiry is by our clock, and a wrong clock is reported', async (t) => {
  await lab.addFault({ service: 'registry', kind: 'clock', aheadMs: 10 * 60_000 });
  const { expiresAtMs = 0 } = await azure.logIn(image, { kind: 'node' }, {});
  t.ok(Math.abs(expiresAtMs - Date.now() - 3 * 60 * 60_000) < 10_000);
  t.strictSame(azure.logLines, ["this node's clock is 10 minutes behind the registry's"]);
});

await t.test('throttled by the registry: the wait that was asked for, to the letter', async (t) => {
  await lab.addFault({ service: 'registry', pathPrefix: '/oauth2', kind: 'throttle', retryAfterS: 7, count: 1 });
  await azure.logIn(image, { kind: 'node' }, {});
  t.strictSame(azure.waitsMs, [7_000]);
});

await t.test('throttled for longer than there is time: fails at once with the wait', async (t) => {
  await lab.addFault({ service: 'registry', pathPrefix: '/oauth2', kind: 'throttle', retryAfterS: 90 });
  await t.rejects(azure.logIn(image, { kind: 'node' }, {}), { kind: 'throttled', message: /asking to wait 90 s/ });
  t.strictSame(azure.waitsMs, []);
});

await t.test('a registry of another tenant: denied, with what to do', async (t) => {
  await t.rejects(azure.logIn('partner.azurecr.io/app', { kind: 'node' }, {}), {
    kind: 'denied',
    message: "partner.azurecr.io denied the login to this machine's managed identity",
    remedy: /AcrPull.*Container Registry Repository Reader.*one tenant/,
  });
});

await t.test('a firewall is distinguished from a missing role', async (t) => {
  await lab.update({ registries: { 'acme.azurecr.io': { tenantId: '', pullers: [], closed: true } } });
  await t.rejects(azure.logIn(image, { kind: 'node' }, {}), { kind: 'denied', message: /refuses this node's address/ });
});

await t.test('a pod of another tenant logs in to a registry there', async (t) => {
  const as = pod({
    'kubernetes.azure.com/acr-client-id': partnerApplication,
    'kubernetes.azure.com/acr-tenant-id': otherTenant,
  });
  await azure.logIn('partner.azurecr.io/app', as, {});
  t.equal((await lab.state()).registryLogins[0]?.objectId, objectIdOf(partnerApplication));
});

await t.test('the end of a token is read only where there is one', (t) => {
  const withClaims = (claims: string): string => `e30.${Buffer.from(claims).toString('base64url')}.c2ln`;
  t.equal(expiryIn(withClaims('{"exp":1700000000}')), 1_700_000_000);
  for (const claims of ['', '{}', '[]', 'null', '{"exp":"soon"}', '{"exp":1e999}', '{"exp":null}', 'nonsense']) {
    t.equal(expiryIn(withClaims(claims)), undefined, claims);
  }
  for (const token of ['', 'x', '..', 'a.b.c', 'opaque-token']) t.equal(expiryIn(token), undefined, token);
  t.end();
});

function pod(annotations: Readonly<Record<string, string>>): {
  kind: 'token';
  token: Secret;
  role: Record<string, string>;
} {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const claims = { iss: labIssuer, sub: podSubject, aud: ['api://AzureADTokenExchange'], exp };
  const role = {
    'kubernetes.azure.com/acr-client-id': podIdentity,
    'kubernetes.azure.com/acr-tenant-id': '11111111-1111-4111-8111-111111111111',
    ...annotations,
  };
  return { kind: 'token', token: new Secret(azure.signer.sign(claims)), role };
}

import t from 'tap';
import { Secret } from '../../../../lib/secret.ts';
import { labToken, otherTeamToken } from '../../../lab/clouds/digitalocean/state.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import { startDigitaloceanLab } from '../digitalocean-lab.ts';

const { lab, logIn, logLines, requestLines } = await startDigitaloceanLab(t);
const image = 'registry.digitalocean.com/lab-registry/team/app:1';
const node = { kind: 'node' } as const;

await t.test('the registry accepts the login, for reading, for half a day', async (t) => {
  const login = await logIn(image, node);
  const { logins } = await lab.state();
  const known = logins[`${login.username}:${login.password.reveal()}`];
  t.match(known, { registry: 'lab-registry', isReadOnly: true });
  t.type(known?.expiresAtMs, 'number', 'it is not valid for ever');
  const lifeMs = (login.expiresAtMs ?? 0) - Date.now();
  t.ok(lifeMs > 43_100_000 && lifeMs <= 43_200_000, `${lifeMs} ms`);
  t.ok((login.expiresAtMs ?? Infinity) <= (known?.expiresAtMs ?? 0), 'it ends no later here than there');
  t.equal(login.endsWithToken, false);
  t.strictSame(await requestLines(), ['GET /v2/registries/lab-registry/docker-credentials?expiry_seconds=43200']);
  t.notOk(showsSecret(logLines.join('\n')), 'no secret in the log');
});

await t.test('the life of a login is a setting', async (t) => {
  const login = await logIn(image, node, { config: { registryLoginSeconds: 1_800 } });
  const lifeMs = (login.expiresAtMs ?? 0) - Date.now();
  t.ok(lifeMs > 1_700_000 && lifeMs <= 1_800_000, `${lifeMs} ms`);
  t.match(await requestLines(), [/expiry_seconds=1800$/]);
});

await t.test('the token of a file is read each time, and nothing replaces it', async (t) => {
  const config = { tokenFile: '/token' };
  const files: Record<string, string> = { '/token': `${labToken}\n` };
  await logIn(image, node, { env: {}, files, config });
  const env = { DIGITALOCEAN_ACCESS_TOKEN: labToken };
  await t.rejects(logIn(image, node, { env, config }), { kind: 'misconfigured', message: '/token does not exist' });
  const empty = { env, config, files: { '/token': '\n' } };
  await t.rejects(logIn(image, node, empty), { kind: 'misconfigured', message: '/token has no API token' });
});

await t.test('the variables of doctl and of the vendor’s controller, in this order', async (t) => {
  await logIn(image, node, { env: { DO_ACCESS_TOKEN: labToken } });
  await logIn(image, node, { env: { DO_ACCESS_TOKEN: 'wrong', DIGITALOCEAN_ACCESS_TOKEN: labToken } });
  await t.rejects(logIn(image, node, { env: {} }), {
    kind: 'misconfigured',
    message: 'there is no API token for DigitalOcean',
    remedy: /tokenFile/,
  });
  t.equal((await requestLines()).length, 2);
});

await t.test('neither a pod nor another identity of the node logs in', async (t) => {
  const pod = { kind: 'token', token: new Secret('x.y.z'), role: {} } as const;
  for (const as of [pod, { ...node, select: 'other' }, { ...node, role: { a: 'b' } }]) {
    await t.rejects(logIn(image, as), { name: 'Failure', kind: 'misconfigured', remedy: /./ });
  }
  t.strictSame(await requestLines(), []);
});

await t.test('a registry of another team', async (t) => {
  const env = { DO_ACCESS_TOKEN: otherTeamToken };
  await t.rejects(logIn(image, node, { env }), {
    kind: 'not-found',
    message: /^the registry lab-registry does not exist/,
  });
  t.equal((await requestLines()).length, 1, 'it is not requested again');
});

await t.test('a wrong token, and one without the scope', async (t) => {
  await t.rejects(logIn(image, node, { env: { DO_ACCESS_TOKEN: 'wrong' } }), {
    kind: 'denied',
    message: 'api.digitalocean.com does not accept the API token of DO_ACCESS_TOKEN',
  });
  await lab.update({ tokens: { [labToken]: { team: 'lab', scopes: [] } } });
  await t.rejects(logIn(image, node), {
    name: 'Failure',
    kind: 'denied',
    remedy: 'use a token with the scope registry:read',
  });
});

const usable = JSON.stringify({ auths: { 'registry.digitalocean.com': { auth: btoa('user:password') } } });
await t.test('user and password can differ', async (t) => {
  await lab.addFault({ service: 'api', kind: 'status', status: 200, body: usable });
  const { username, password } = await logIn(image, node);
  t.strictSame([username, password.reveal()], ['user', 'password']);
});

const unusable = ['', '{}', '[]', '{"auths":{}}', '{"auths":{"registry.digitalocean.com":{"auth":""}}}']
  .concat(
    ['user', ':password', 'user:', 'us er:password', 'user:pass\nword'].map((text) =>
      usable.replace(btoa('user:password'), btoa(text)),
    ),
  )
  .concat(usable.replace('registry.digitalocean.com', 'registry.evil.example'));
for (const body of unusable) {
  await t.test(`${body || 'nothing'} is no login`, async (t) => {
    await lab.addFault({ service: 'api', kind: 'status', status: 200, body });
    await t.rejects(logIn(image, node), { kind: 'invalid-response', message: /^api\.digitalocean\.com answered/ });
  });
}

const temporary: readonly Fault[] = [
  { service: 'api', kind: 'throttle', retryAfterS: 0 },
  { service: 'api', kind: 'status', status: 500 },
  { service: 'api', kind: 'status', status: 503, body: '{"id":"service_unavailable","message":"x"}' },
  { service: 'api', kind: 'reset' },
  { service: 'api', kind: 'cut-off' },
];
for (const fault of temporary) {
  await t.test(`${JSON.stringify(fault)} is retried`, async (t) => {
    await lab.addFault({ ...fault, count: 2 });
    t.ok((await logIn(image, node)).username);
    t.equal((await requestLines()).length, 3);
  });
}

for (const [status, kind] of [
  [302, 'misconfigured'],
  [404, 'not-found'],
  [403, 'denied'],
] as const) {
  await t.test(`HTTP ${status} of a proxy is not retried`, async (t) => {
    await lab.addFault({ service: 'api', kind: 'status', status, body: '<html>' });
    await t.rejects(logIn(image, node), { kind, message: new RegExp(`HTTP ${status}`) });
    t.equal((await requestLines()).length, 1);
  });
}

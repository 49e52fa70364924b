import t from 'tap';
import { runOnLoopback } from '../loopback.ts';
import { secretMarker } from '../secrets.ts';
import { isSignedBy, parseSignedToken } from '../signed-token.ts';
import { gcp } from './cloud.ts';
import { nodeAccount } from './state.ts';

const lab = await runOnLoopback(gcp, { plain: [] });
t.teardown(lab.stop);
t.beforeEach(() => lab.reset());

const flavor = { 'Metadata-Flavor': 'Google' };

const refusals: readonly (readonly [what: string, init: RequestInit, status: number])[] = [
  ['without its header', {}, 403],
  ['with another flavor', { headers: { 'Metadata-Flavor': 'google' } }, 403],
  ['through a proxy', { headers: { ...flavor, 'X-Forwarded-For': '10.0.0.1' } }, 403],
  ['with another method', { method: 'POST', headers: flavor }, 405],
];
for (const [what, init, status] of refusals) {
  await t.test(`nothing is read ${what}`, async (t) => {
    const response = await fetch(`${lab.url('metadata')}/computeMetadata/v1/instance/id`, init);
    t.equal(response.status, status);
    t.equal(response.headers.get('metadata-flavor'), 'Google', 'also a refusal says who it is');
  });
}

const documents: readonly (readonly [path: string, text: RegExp])[] = [
  ['project/project-id', /^lab-project$/],
  ['instance/id', /^4520031799277581759$/],
  ['instance/zone', /^projects\/123456789012\/zones\/us-central1-a$/],
  ['instance/machine-type', /^projects\/123456789012\/machineTypes\/e2-standard-4$/],
  ['instance/service-accounts/', /^default\/\nlab-node@.*\/$/],
  ['instance/service-accounts/default/email', /^lab-node@/],
  ['instance/service-accounts/default/scopes', /cloud-platform$/],
];
for (const [path, expected] of documents) {
  await t.test(`reads ${path}`, async (t) => {
    const response = await read(path);
    t.equal(response.headers.get('metadata-flavor'), 'Google');
    t.match(await response.text(), expected);
  });
}

await t.test('a token is one that is known from then on', async (t) => {
  const answer = (await (await read('instance/service-accounts/default/token')).json()) as Record<string, unknown>;
  t.match(answer, { access_token: new RegExp(`^ya29\\..*${secretMarker}`), expires_in: 3599, token_type: 'Bearer' });
  const { accessTokens } = await lab.state();
  t.match(accessTokens[String(answer['access_token'])], { member: `serviceAccount:${nodeAccount}` });
});

await t.test('an account that the instance has not, and an instance that has none', async (t) => {
  t.equal((await read('instance/service-accounts/other@x.iam.gserviceaccount.com/token')).status, 404);
  await lab.update({ instance: { serviceAccounts: [] } });
  t.equal((await read('instance/service-accounts/default/token')).status, 404);
});

await t.test('an identity token, signed by the key that its issuer publishes', async (t) => {
  t.equal((await read('instance/service-accounts/default/identity')).status, 400, 'an audience is needed');
  const token = await (await read('instance/service-accounts/default/identity?audience=me&format=full')).text();
  const parsed = parseSignedToken(token);
  t.match(parsed?.claims, { aud: 'me', email: nodeAccount, google: { compute_engine: { project_id: 'lab-project' } } });
  const published = await fetch(`${lab.url('certs')}/oauth2/v3/certs`);
  const { keys } = (await published.json()) as { keys: Parameters<typeof isSignedBy>[1][] };
  t.ok(parsed && keys.some((key) => isSignedBy(parsed, key)));
  const short = await (await read('instance/service-accounts/default/identity?audience=me')).text();
  t.notOk(parseSignedToken(short)?.claims['google']);
});

await t.test('a document can be put where there is none', async (t) => {
  await lab.update({ metadata: { 'instance/preempted': 'TRUE' } });
  t.equal(await (await read('instance/preempted')).text(), 'TRUE');
});

await t.test('a request with the tag of a value is held until there is another value', async (t) => {
  const path = 'instance/preempted';
  const etag = (await read(path)).headers.get('etag') ?? '';
  const query = `wait_for_change=true&timeout_sec=60&last_etag=${etag}`;
  const [held, other] = [read(`${path}?${query}`), read(`instance/maintenance-event?${query}`)];
  t.equal(await (await other).text(), 'NONE', 'not one whose tag is another');
  await lab.update({ metadata: { 'instance/maintenance-event': 'MIGRATE_ON_HOST_MAINTENANCE' } });
  const first = await Promise.race([held, read('instance/id')]);
  t.match(await first.text(), /^4520/, 'another value has changed');
  await lab.update({ metadata: { [path]: 'TRUE' } });
  const response = await held;
  t.equal(await response.text(), 'TRUE');
  t.not(response.headers.get('etag'), etag);
});

await t.test('a held request ends after its time, with the value that is known', async (t) => {
  const etag = (await read('instance/maintenance-event')).headers.get('etag') ?? '';
  const response = await read(
    `instance/maintenance-event?wait_for_change=true&timeout_sec=0.1&last_etag=${encodeURIComponent(etag)}`,
  );
  t.equal(await response.text(), 'NONE');
  t.equal(response.headers.get('etag'), etag);
});

await t.test('there is no notice of a maintenance until there was one', async (t) => {
  const response = await read('instance/upcoming-maintenance?alt=json');
  t.equal(response.status, 503);
  t.match(await response.text(), /no notifications have been received yet/);
  await lab.update({ metadata: { 'instance/upcoming-maintenance': '{ }' } });
  t.equal((await read('instance/upcoming-maintenance?alt=json')).status, 200);
});

function read(path: string): Promise<Response> {
  return fetch(`${lab.url('metadata')}/computeMetadata/v1/${path}`, { headers: flavor });
}

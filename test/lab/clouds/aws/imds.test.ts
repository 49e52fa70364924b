import t from 'tap';
import { runOnLoopback } from '../loopback.ts';
import { secretMarker } from '../secrets.ts';
import { aws } from './cloud.ts';

const lab = await runOnLoopback(aws, { plain: ['imds'] });
t.teardown(lab.stop);
t.beforeEach(() => lab.reset());

await t.test('a token is asked for with PUT and a time to live', async (t) => {
  const granted = await putToken({ 'x-aws-ec2-metadata-token-ttl-seconds': '60' });
  t.equal(granted.status, 200);
  t.equal(granted.headers.get('x-aws-ec2-metadata-token-ttl-seconds'), '60');
  t.ok((await granted.text()).includes(secretMarker));
  t.equal((await putToken({})).status, 400, 'without a time to live');
  t.equal((await putToken({ 'x-aws-ec2-metadata-token-ttl-seconds': '21601' })).status, 400, 'longer than six hours');
  const proxied = { 'x-aws-ec2-metadata-token-ttl-seconds': '60', 'x-forwarded-for': '10.0.0.1' };
  t.equal((await putToken(proxied)).status, 403, 'through a proxy');
});

await t.test('nothing is read without a token that is still good', async (t) => {
  t.equal((await fetch(`${lab.url('imds')}/latest/meta-data/instance-id`)).status, 401);
  const token = await freshToken();
  t.equal((await read('meta-data/instance-id', token)).status, 200);
  await lab.addFault({ service: 'imds', kind: 'clock', aheadMs: 61_000 });
  t.equal((await read('meta-data/instance-id', token)).status, 401);
});

await t.test('tokens can be optional', async (t) => {
  await lab.update({ instance: { httpTokens: 'optional' } });
  t.equal((await fetch(`${lab.url('imds')}/latest/meta-data/instance-id`)).status, 200);
});

const documents: readonly [path: string, text: RegExp][] = [
  ['meta-data/instance-id', /^i-0a1b2c3d4e5f60718$/],
  ['meta-data/placement/region', /^us-west-2$/],
  ['meta-data/placement/', /^availability-zone\navailability-zone-id\nregion$/],
  ['meta-data/placement/availability-zone-id', /^usw2-az2$/],
  ['meta-data/network/interfaces/macs/', /^06:00:00:00:00:ff\/$/],
  ['meta-data/network/interfaces/macs/06:00:00:00:00:ff/local-ipv4s', /^10\.0\.0\.20$/],
  ['meta-data/network/interfaces/macs/06:00:00:00:00:ff/ipv6s', /404 - Not Found/],
  ['meta-data/public-ipv4', /404 - Not Found/],
  ['meta-data/iam/security-credentials/', /^lab-node$/],
  ['meta-data/iam/security-credentials', /^lab-node$/],
  ['meta-data/iam/', /^info\nsecurity-credentials\/$/],
  ['dynamic/instance-identity/document', /"region": "us-west-2"/],
  ['meta-data/spot/instance-action', /404 - Not Found/],
];

for (const [path, expected] of documents) {
  await t.test(`reads ${path}`, async (t) => {
    t.match(await (await read(path, await freshToken())).text(), expected);
  });
}

await t.test('a document can be put where there is none', async (t) => {
  await lab.update({ metadata: { 'meta-data/spot/instance-action': '{"action":"stop"}' } });
  t.same(await (await read('meta-data/spot/instance-action', await freshToken())).json(), { action: 'stop' });
  await lab.update({ metadata: { 'meta-data/spot/instance-action': null } });
  t.equal((await read('meta-data/spot/instance-action', await freshToken())).status, 404, 'and be taken away');
});

await t.test('credentials stay the same until they near their end', async (t) => {
  const path = 'meta-data/iam/security-credentials/lab-node';
  const first = await readJson(path);
  t.same(Object.keys(first), ['Code', 'LastUpdated', 'Type', 'AccessKeyId', 'SecretAccessKey', 'Token', 'Expiration']);
  t.equal((await readJson(path))['AccessKeyId'], first['AccessKeyId']);
  await lab.addFault({ service: 'imds', kind: 'no-expiry', count: 2 });
  t.notOk('Expiration' in (await readJson(path)));
  await lab.addFault({ service: 'imds', kind: 'clock', aheadMs: 5.9 * 3_600_000 });
  t.not((await readJson(path))['AccessKeyId'], first['AccessKeyId']);
});

await t.test('an instance without a role', async (t) => {
  await lab.update({ instance: { roleName: null } });
  t.equal((await read('meta-data/iam/security-credentials/', await freshToken())).status, 404);
});

function putToken(headers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(`${lab.url('imds')}/latest/api/token`, { method: 'PUT', headers: { ...headers } });
}

async function freshToken(): Promise<string> {
  return (await putToken({ 'x-aws-ec2-metadata-token-ttl-seconds': '60' })).text();
}

function read(path: string, token: string): Promise<Response> {
  return fetch(`${lab.url('imds')}/latest/${path}`, { headers: { 'x-aws-ec2-metadata-token': token } });
}

async function readJson(path: string): Promise<Record<string, string>> {
  return (await (await read(path, await freshToken())).json()) as Record<string, string>;
}

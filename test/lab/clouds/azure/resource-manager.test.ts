import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import t from 'tap';
import { runOnLoopback } from '../loopback.ts';
import { azure } from './cloud.ts';
import { deniedIdentity, otherTenant } from './state.ts';
import { labGroup, labSubscription, virtualMachines } from './virtual-machine.ts';

const lab = await runOnLoopback(azure, { plain: Object.keys(azure.services) });
t.teardown(lab.stop);
t.beforeEach(() => lab.reset());

interface Result {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: { readonly error?: { readonly code: string }; readonly [name: string]: unknown };
}

async function ask(service: string, path: string, headers: Readonly<Record<string, string>>): Promise<Result> {
  const sent = httpRequest(new URL(path, lab.url(service)), { agent: false, headers });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = (await json(response).catch(() => ({}))) as Result['body'];
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

async function read(path: string, more = '', audience = 'https://management.azure.com'): Promise<Result> {
  const tokenPath = `/metadata/identity/oauth2/token?api-version=2018-02-01&resource=${encodeURIComponent(audience)}${more}`;
  const token = String((await ask('imds', tokenPath, { metadata: 'true' })).body['access_token']);
  const host = 'management.azure.com';
  return ask('resource-manager', path, { authorization: `Bearer ${token}`, host });
}

const [machine] = virtualMachines({ count: 1, number: 1 });
const id = machine?.id ?? '';
const version = '?api-version=2024-07-01';
const subscription = `/subscriptions/${labSubscription}`;

await t.test('a machine, in whatever case, and its interface', async (t) => {
  await lab.update({ resourceManager: { machines: machine ? [machine] : [] } });
  const { status, headers, body } = await read(
    `${id.toUpperCase().replace('/SUBSCRIPTIONS', '/subscriptions')}${version}&$expand=instanceView`,
  );
  t.equal(status, 200);
  t.match(body, {
    id,
    properties: { vmId: machine?.vmId, instanceView: { statuses: [{}, { code: 'PowerState/running' }] } },
  });
  t.ok(headers['x-ms-correlation-request-id']);
  const nic = `${labGroup}/providers/Microsoft.Network/networkInterfaces/lab-vm-1-0-nic0`;
  t.match((await read(`${nic}${version}`)).body, { id: nic, properties: { ipConfigurations: [{}] } });
});

const refused: readonly (readonly [what: string, path: string, more: string, status: number, code: string])[] = [
  ['without a version', subscription, '', 400, 'MissingApiVersionParameter'],
  ['another subscription', `/subscriptions/x${version}`, '', 404, 'SubscriptionNotFound'],
  ['another group', `${subscription}/resourceGroups/x${version}`, '', 404, 'ResourceGroupNotFound'],
  ['in another group', `${id.replace('/lab/', '/x/')}${version}`, '', 404, 'ResourceGroupNotFound'],
  ['a missing machine', `${id}${version}`, '', 404, 'ResourceNotFound'],
  ['without permission', `${id}${version}`, `&client_id=${deniedIdentity}`, 403, 'AuthorizationFailed'],
  [
    'in a missing scale set',
    `${labGroup}/providers/Microsoft.Compute/virtualMachineScaleSets/s/virtualMachines/0${version}`,
    '',
    404,
    'ParentResourceNotFound',
  ],
];
for (const [what, path, more, status, code] of refused) {
  await t.test(`${what}: ${code}`, async (t) => {
    const response = await read(path, more);
    t.strictSame([response.status, response.body.error?.code], [status, code]);
  });
}

await t.test('a token of another tenant, for another audience, or none', async (t) => {
  const path = `${subscription}${version}`;
  t.match((await read(path, '', 'https://containerregistry.azure.net')).body.error, {
    code: 'InvalidAuthenticationToken',
  });
  t.equal((await ask('resource-manager', path, {})).status, 401);
  await lab.update({ resourceManager: { subscriptions: { [labSubscription]: { tenantId: otherTenant } } } });
  t.match((await read(path)).body.error, { code: 'InvalidAuthenticationTokenTenant' });
});

await t.test('lists in pages', async (t) => {
  await lab.update({ resourceManager: { machines: virtualMachines({ count: 3, number: 1 }), pageSize: 2 } });
  const list = `${subscription}/providers/Microsoft.Compute/virtualMachines`;
  const first = (await read(`${list}${version}`)).body as { value: readonly unknown[]; nextLink: string };
  t.equal(first.value.length, 2);
  t.notMatch(first.value[0], { properties: { instanceView: {} } });
  const second = (await read(first.nextLink.replace('https://management.azure.com', ''))).body;
  t.match(second, { value: [{}], nextLink: undefined });
  t.match((await read(`${list}${version}&statusOnly=true`)).body, { value: [{ properties: { instanceView: {} } }] });
});

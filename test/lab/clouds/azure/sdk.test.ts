import t from 'tap';
import { runOnLoopback } from '../loopback.ts';
import { azure } from './cloud.ts';
import { openSdkClients } from './sdk-clients.ts';
import { labGroup, virtualMachines } from './virtual-machine.ts';
import type { LabVirtualMachine } from './virtual-machine.ts';

const lab = await runOnLoopback(azure, { plain: Object.keys(azure.services) });
t.teardown(lab.stop);

const group = 'lab';
const set = 'pool';
const flexibleSetId = `${labGroup}/providers/Microsoft.Compute/virtualMachineScaleSets/flexible`;
const [lone, other, flexible] = virtualMachines({ count: 3, number: 1 });
if (!lone || !other || !flexible) throw new Error('three machines were wanted');
const single = withAddresses([lone, other, { ...flexible, flexibleSet: flexibleSetId }]);
const ofSet = withAddresses(virtualMachines({ count: 3, number: 2, scaleSet: set }));
t.beforeEach(async () => {
  await lab.reset();
  await lab.update({ resourceManager: { machines: [...single, ...ofSet], pageSize: 2 } });
});

/** The first has addresses of both families, each with a public one. */
function withAddresses(machines: readonly LabVirtualMachine[]): readonly LabVirtualMachine[] {
  return machines.map((machine, index) => {
    const [own] = machine.interfaces[0]?.addresses ?? [];
    if (index > 0 || own === undefined) return machine;
    const addresses = [
      { ...own, publicIp: '51.0.0.1' },
      { privateIp: 'fd00::4', publicIp: '2603:10e1:100:2::1' },
    ];
    return { ...machine, interfaces: [{ primary: true, addresses }] };
  });
}

const { compute, network, bodies } = await openSdkClients(lab, 1);
const { virtualMachines: machines, virtualMachineScaleSets: sets, virtualMachineScaleSetVMs: machinesOfSet } = compute;
const { networkInterfaces, publicIPAddresses } = network;
const idsOfSingle = single.map(({ id }) => id);
const idsOfSet = ofSet.map(({ id }) => id);
const name = 'lab-vm-1-0';
const interfaceId = `${labGroup}/providers/Microsoft.Network/networkInterfaces/${name}-nic0`;
const setId = `${labGroup}/providers/Microsoft.Compute/virtualMachineScaleSets/${set}`;

interface Resource {
  readonly id?: string;
}

/** What is asked, and the ids of the resources in the answer. */
const questions: Readonly<Record<string, readonly [ask: () => Promise<readonly Resource[]>, ids: readonly string[]]>> =
  {
    'all machines': [() => all(machines.listAll()), idsOfSingle],
    'the states of all machines': [() => all(machines.listAll({ statusOnly: 'true' })), idsOfSingle],
    'the machines of a group': [() => all(machines.list(group)), idsOfSingle],
    'the machines of a flexible scale set': [
      () => all(machines.list(group, { filter: `'virtualMachineScaleSet/id' eq '${flexibleSetId}'` })),
      [flexible.id],
    ],
    'a machine': [async () => [await machines.get(group, name)], [`${idsOfSingle[0]}`]],
    'a machine and its state': [
      async () => [await machines.get(group, name, { expand: 'instanceView' })],
      [`${idsOfSingle[0]}`],
    ],
    'all scale sets': [() => all(sets.listAll()), [flexibleSetId, setId]],
    'the scale sets of a group': [() => all(sets.list(group)), [flexibleSetId, setId]],
    'a scale set': [async () => [await sets.get(group, set)], [setId]],
    'the machines of a scale set': [() => all(machinesOfSet.list(group, set)), idsOfSet],
    'the machines of a scale set and their states': [
      () => all(machinesOfSet.list(group, set, { expand: 'instanceView' })),
      idsOfSet,
    ],
    'a machine of a scale set': [async () => [await machinesOfSet.get(group, set, '1')], [`${idsOfSet[1]}`]],
    'a machine of a scale set and its state': [
      async () => [await machinesOfSet.get(group, set, '1', { expand: 'instanceView' })],
      [`${idsOfSet[1]}`],
    ],
    'all interfaces': [
      () => all(networkInterfaces.listAll()),
      [0, 1, 2].map((index) => interfaceId.replace('-1-0-', `-1-${index}-`)),
    ],
    'an interface': [async () => [await networkInterfaces.get(group, `${name}-nic0`)], [interfaceId]],
    'an interface and its public addresses': [
      async () => [await networkInterfaces.get(group, `${name}-nic0`, { expand: 'ipConfigurations/publicIPAddress' })],
      [interfaceId],
    ],
    'the interfaces of a scale set': [
      () => all(networkInterfaces.listVirtualMachineScaleSetNetworkInterfaces(group, set)),
      idsOfSet.map((id) => `${id}/networkInterfaces/nic0`),
    ],
    'all public addresses': [
      () => all(publicIPAddresses.listAll()),
      [0, 1].map((index) => `${interfaceId.replace('/networkInterfaces/', '/publicIPAddresses/')}-ip${index}`),
    ],
    'the public addresses of a group': [
      () => all(publicIPAddresses.list(group)),
      [0, 1].map((index) => `${interfaceId.replace('/networkInterfaces/', '/publicIPAddresses/')}-ip${index}`),
    ],
    'the public addresses of a scale set': [
      () => all(publicIPAddresses.listVirtualMachineScaleSetPublicIPAddresses(group, set)),
      [0, 1].map(
        (index) => `${idsOfSet[0]}/networkInterfaces/nic0/ipConfigurations/ipconfig${index}/publicIPAddresses/ip`,
      ),
    ],
  };

for (const [question, [ask, ids]] of Object.entries(questions)) {
  await t.test(question, async (t) => {
    const before = bodies.length;
    const answered = await ask();
    t.strictSame(
      answered.map(({ id }) => id),
      ids,
    );
    const sent = bodies.slice(before).flatMap(resourcesIn);
    t.equal(sent.length, ids.length);
    const unknown = sent.flatMap((resource, index) => missingIn(leavesOf(answered[index]), leavesOf(resource)));
    t.strictSame(unknown, [], 'the client knows each field that was sent');
  });
}

await t.test('the state of a machine only where it was asked for', async (t) => {
  t.equal((await machines.get(group, name)).instanceView, undefined);
  t.equal((await machinesOfSet.get(group, set, '1')).instanceView, undefined);
  const running = { statuses: [{ code: 'ProvisioningState/succeeded' }, { code: 'PowerState/running' }] };
  t.match((await machines.get(group, name, { expand: 'instanceView' })).instanceView, running);
  t.match(await machines.instanceView(group, name), running);
  t.match((await machinesOfSet.get(group, set, '1', { expand: 'instanceView' })).instanceView, running);
  t.match(await machinesOfSet.getInstanceView(group, set, '1'), running);
});

await t.test('a machine of a scale set is named after both', async (t) => {
  t.match(await machinesOfSet.get(group, set, '2'), { name: 'pool_2', instanceId: '2' });
});

await t.test('public addresses in an interface', async (t) => {
  const plain = await networkInterfaces.get(group, `${name}-nic0`);
  t.strictSame(
    plain.ipConfigurations?.map((each) => each.publicIPAddress?.ipAddress),
    [undefined, undefined],
  );
  const expanded = await networkInterfaces.get(group, `${name}-nic0`, { expand: 'ipConfigurations/publicIPAddress' });
  t.strictSame(
    expanded.ipConfigurations?.map(({ privateIPAddress, publicIPAddress }) => [
      privateIPAddress,
      publicIPAddress?.ipAddress,
    ]),
    [
      ['10.1.0.0', '51.0.0.1'],
      ['fd00::4', '2603:10e1:100:2::1'],
    ],
  );
});

const errors: Readonly<Record<string, readonly [ask: () => Promise<unknown>, code: string]>> = {
  'a missing machine': [() => machines.get(group, 'nothing'), 'ResourceNotFound'],
  'a missing group': [() => machines.get('nothing', name), 'ResourceGroupNotFound'],
  'a list of a missing group': [() => all(machines.list('nothing')), 'ResourceGroupNotFound'],
  'a missing scale set': [() => sets.get(group, 'nothing'), 'ResourceNotFound'],
  'a machine of a missing scale set': [() => machinesOfSet.get(group, 'nothing', '0'), 'ParentResourceNotFound'],
  'a missing interface': [() => networkInterfaces.get(group, 'nothing'), 'ResourceNotFound'],
};
for (const [what, [ask, code]] of Object.entries(errors)) {
  await t.test(`${what}: ${code}`, async (t) => {
    await t.rejects(ask(), { name: 'RestError', statusCode: 404, code });
  });
}

await t.test('too many requests: it sends the request again, once', async (t) => {
  const throttle = { service: 'resource-manager', kind: 'throttle', retryAfterS: 0 } as const;
  await lab.addFault({ ...throttle, count: 1 });
  t.match(await machines.get(group, name), { name });
  t.equal((await lab.requests()).length, 2);
  await lab.addFault(throttle);
  await t.rejects(machines.get(group, name), { name: 'RestError', statusCode: 429, code: 'TooManyRequests' });
});

async function all<T>(pages: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const each of pages) found.push(each);
  return found;
}

function resourcesIn(body: unknown): readonly unknown[] {
  const { value } = body as { readonly value?: readonly unknown[] };
  return value ?? [body];
}

/** Each field with its path and value. The client leaves out the level `properties`. */
function leavesOf(value: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [`${path} = ${String(value)}`];
  return Object.entries(value).flatMap(([key, each]) => leavesOf(each, key === 'properties' ? path : `${path}/${key}`));
}

function missingIn(known: readonly string[], sent: readonly string[]): readonly string[] {
  return sent.filter((leaf) => !known.includes(leaf));
}

import t from 'tap';
import { labGroup, virtualMachines } from '../../../lab/clouds/azure/virtual-machine.ts';
import type { LabVirtualMachine } from '../../../lab/clouds/azure/virtual-machine.ts';
import { lookUpOne, nodeOf, nodeWith, prodScope, startMachinesLab } from '../machines-lab.ts';

const machinesLab = await startMachinesLab(t);
const { azure, instances, context, setMachines, paths } = machinesLab;
const [single] = virtualMachines({ count: 1, number: 1 }) as readonly [LabVirtualMachine];
const [scaled] = virtualMachines({ count: 1, number: 2, scaleSet: 'Pool' }) as readonly [LabVirtualMachine];
const compute = `${labGroup}/providers/Microsoft.Compute`;

await t.test('a machine as its Node needs it', async (t) => {
  await setMachines([single]);
  t.strictSame(await lookUpOne(machinesLab, nodeOf(single)), {
    status: 'running',
    by: 'id',
    instance: {
      providerId: `azure://${single.id}`,
      instanceId: single.vmId,
      type: 'Standard_D4ps_v6',
      region: 'westeurope',
      zone: 'westeurope-1',
      addresses: [{ type: 'InternalIP', address: '10.1.0.0' }],
      labels: {},
    },
  });
});

await t.test('a machine of a uniform scale set has its size elsewhere', async (t) => {
  await setMachines([scaled]);
  t.match(await lookUpOne(machinesLab, nodeOf(scaled)), {
    status: 'running',
    instance: { providerId: `azure://${compute}/virtualMachineScaleSets/Pool/virtualMachines/0`, type: single.size },
  });
});

await t.test('without zones the zone is the fault domain, and the region has one spelling', async (t) => {
  await setMachines([{ ...single, zones: [], faultDomain: 2, location: 'West Europe' }]);
  t.match(await lookUpOne(machinesLab, nodeOf(single)), { instance: { zone: '2', region: 'westeurope' } });
});

await t.test('the primary interface, both families and what is public; blocks for pods are left out', async (t) => {
  for (const machine of [single, scaled]) {
    const second = { primary: false, addresses: [{ privateIp: '10.9.0.9' }] };
    const addresses = [
      { privateIp: '10.1.0.4', publicIp: '51.0.0.4' },
      { privateIp: '10.1.0.16/28' },
      { privateIp: '10.1.0.5' },
      { privateIp: 'fd00::4', publicIp: '2603::4' },
    ];
    await setMachines([{ ...machine, interfaces: [second, { primary: true, addresses }] }]);
    const result = await lookUpOne(machinesLab, nodeOf(machine));
    t.strictSame(result !== undefined && 'instance' in result && result.instance.addresses, [
      { type: 'InternalIP', address: '10.1.0.4' },
      { type: 'InternalIP', address: 'fd00::4' },
      { type: 'ExternalIP', address: '51.0.0.4' },
      { type: 'ExternalIP', address: '2603::4' },
    ]);
    t.match(await lookUpOne(machinesLab, { ...nodeOf(machine), nodeIps: ['10.9.0.9'] }), {
      instance: { addresses: [{ address: '10.9.0.9' }, { address: 'fd00::4' }, { address: '2603::4' }] },
    });
  }
});

const states: readonly (readonly [power: string | null, provisioning: string, status: string])[] = [
  ['running', 'Succeeded', 'running'],
  ['running', 'Updating', 'running'],
  ['running', 'Deleting', 'running'],
  ['starting', 'Creating', 'running'],
  ['stopping', 'Succeeded', 'running'],
  ['stopped', 'Succeeded', 'stopped'],
  ['deallocating', 'Succeeded', 'stopped'],
  ['deallocated', 'Succeeded', 'stopped'],
  ['deallocated', 'Failed', 'stopped'],
  ['deallocated', 'Updating', 'running'],
  ['unknown', 'Succeeded', 'unknown'],
  ['hibernating', 'Succeeded', 'unknown'],
  [null, 'Succeeded', 'unknown'],
  [null, 'Creating', 'running'],
];
for (const [powerState, provisioningState, status] of states) {
  await t.test(`${String(powerState)} while ${provisioningState}: ${status}`, async (t) => {
    // The other one answers, so that one unknown state is a result and not the failure of all.
    await setMachines([{ ...single, powerState, provisioningState }, scaled]);
    const nodes = [nodeOf(single), nodeOf(scaled)];
    const results = await instances().lookUp(prodScope, { nodes, verify: [] }, context());
    t.equal(results.get(nodeOf(single).uid)?.status, status);
  });
}

await t.test('missing, and not in the list of its group: not found, in the words of Azure', async (t) => {
  await setMachines([single]);
  t.match(await lookUpOne(machinesLab, nodeWith(`azure://${compute}/virtualMachines/gone`)), {
    status: 'not-found',
    evidence: /^ResourceNotFound: The Resource 'microsoft\.compute\/virtualmachines\/gone' under resource group 'lab'/,
  });
  t.strictSame(await paths(), [`${compute}/virtualMachines/gone`, `${compute}/virtualMachines`]);
});

await t.test('the list of a group is used for 10 s, and a machine that it shows is gone after that', async (t) => {
  await setMachines([single]);
  await azure.lab.update({ resourceManager: { hiddenFromGet: [single.id] } });
  const kept = instances();
  const moment = context();
  const statusOf = async (id: string): Promise<string | undefined> => {
    const node = nodeWith(`azure://${id}`);
    const nodes = [node, nodeOf(scaled)];
    return (await kept.lookUp(prodScope, { nodes, verify: [] }, moment)).get(node.uid)?.status;
  };
  const lists = async (): Promise<number> =>
    (await paths()).filter((path) => path === `${compute}/virtualMachines`).length;
  await setMachines([single, scaled]);
  t.equal(await statusOf(single.id), 'unknown');
  await setMachines([scaled]);
  t.equal(await statusOf(single.id), 'unknown');
  t.equal(await statusOf(`${single.id}-other`), 'not-found');
  t.equal(await lists(), 1);
  await moment.clock.sleep(10_000, moment.signal);
  t.equal(await statusOf(single.id), 'not-found');
  t.equal(await lists(), 2);
});

await t.test('the scale set is gone, or only one of its machines', async (t) => {
  await setMachines([scaled]);
  for (const [set, number, code] of [
    ['Pool', '7', 'ResourceNotFound'],
    ['other', '0', 'ParentResourceNotFound'],
  ] as const) {
    const node = nodeWith(`azure://${compute}/virtualMachineScaleSets/${set}/virtualMachines/${number}`);
    t.match(await lookUpOne(machinesLab, node), { status: 'not-found', evidence: new RegExp(`^${code}: `) });
  }
});

await t.test('404 for the whole resource group while machines live: nothing is gone', async (t) => {
  await setMachines([single, scaled]);
  await azure.lab.update({ resourceManager: { resourceGroups: [] } });
  const nodes = [nodeOf(single), nodeOf(scaled)];
  const results = await instances().lookUp(prodScope, { nodes, verify: [] }, context());
  const failure = { kind: 'misconfigured', message: /no such resource group \(ResourceGroupNotFound\)/ };
  t.match(
    [...results.values()],
    [
      { status: 'unknown', failure },
      { status: 'unknown', failure },
    ],
  );
});

await t.test('a running machine without an address is not known yet, so its Node is not initialised', async (t) => {
  for (const interfaces of [[], [{ primary: true, addresses: [] }]]) {
    await setMachines([{ ...single, interfaces }]);
    t.match(await lookUpOne(machinesLab, nodeOf(single)), { status: 'unknown', failure: { message: /no address/ } });
  }
  await setMachines([{ ...single, interfaces: [], powerState: 'deallocated' }]);
  t.match(await lookUpOne(machinesLab, nodeOf(single)), { status: 'stopped' });
});

await t.test('one machine that does not answer before the end takes no other result away', async (t) => {
  await setMachines([single, scaled]);
  await azure.lab.addFault({ service: 'resource-manager', pathPrefix: single.id, kind: 'hang' });
  const kept = instances();
  const ending = new AbortController();
  const nodes = [nodeOf(single), nodeOf(scaled)];
  const { http, ...given } = context();
  let open = 0;
  let hasInterface = false;
  // Ends when everything else has been answered.
  const endIfQuiet = (): void => {
    if (open === 1 && hasInterface) ending.abort(new DOMException('', 'TimeoutError'));
  };
  const send: typeof http.send = async (request, signal) => {
    open += 1;
    try {
      return await http.send(request, signal);
    } finally {
      open -= 1;
      hasInterface ||= request.url.pathname.includes('/networkInterfaces/');
      setImmediate(endIfQuiet);
    }
  };
  const results = await kept.lookUp(
    prodScope,
    { nodes, verify: [] },
    { ...given, http: { ...http, send }, signal: ending.signal },
  );
  t.match([...results.values()], [{ status: 'unknown', failure: { kind: 'unavailable' } }, { status: 'running' }]);
});

await t.test('the list of a group is read once, however many of its machines are missing', async (t) => {
  const gone = virtualMachines({ count: 30, number: 3 });
  await setMachines([single]);
  const request = { nodes: gone.map(nodeOf), verify: [nodeOf(single)] };
  const results = await instances().lookUp(prodScope, request, context());
  t.equal([...results.values()].filter(({ status }) => status === 'not-found').length, 30);
  t.match(results.get(nodeOf(single).uid), { status: 'running', by: 'id' });
  const asked = await paths();
  t.equal(asked.filter((path) => path === `${compute}/virtualMachines`).length, 1);
  t.ok(asked.lastIndexOf(single.id) > asked.lastIndexOf(gone[0]?.id ?? ''), 'the canary comes afterwards');
});

await t.test('a name that another machine has now: its id tells, and a canary is looked up', async (t) => {
  await setMachines([single, scaled]);
  const node = { ...nodeOf(single), instanceId: '99999999-9999-4999-8999-999999999999' };
  const results = await instances().lookUp(prodScope, { nodes: [node], verify: [nodeOf(scaled)] }, context());
  t.match(results.get(node.uid), { status: 'running', by: 'id', instance: { instanceId: single.vmId } });
  t.match(results.get(nodeOf(scaled).uid), { status: 'running', by: 'id' });
});

await t.test('Azure answers in other cases, and the node is written in another', async (t) => {
  await setMachines([{ ...single, id: single.id.replace('resourceGroups/lab', 'resourcegroups/LAB') }]);
  const node = nodeWith(`azure://${single.id.replace('/lab/', '/Lab/').replace('virtualMachines', 'VirtualMachines')}`);
  t.match(await lookUpOne(machinesLab, node), { status: 'running', instance: { providerId: `azure://${single.id}` } });
});

await t.test('an interface that cannot be read: the machine is unknown, and no other', async (t) => {
  await setMachines([single, scaled]);
  const pathPrefix = `${labGroup}/providers/Microsoft.Network/networkInterfaces/`;
  await azure.lab.addFault({ service: 'resource-manager', pathPrefix, kind: 'status', status: 500 });
  const nodes = [nodeOf(single), nodeOf(scaled)];
  const results = await instances().lookUp(prodScope, { nodes, verify: [] }, context());
  t.strictSame(
    [...results.values()].map(({ status }) => status),
    ['unknown', 'running'],
  );
});

await t.test('throttling keeps the time that Azure asks for', async (t) => {
  await azure.lab.addFault({ service: 'resource-manager', kind: 'throttle', retryAfterS: 17 });
  await t.rejects(lookUpOne(machinesLab, nodeOf(single)), { name: 'Failure', kind: 'throttled', retryAfterMs: 17_000 });
});

await t.test('once a request is throttled, no further machine is requested', async (t) => {
  const machines = virtualMachines({ count: 100, number: 6 });
  await setMachines([]);
  await azure.lab.addFault({
    service: 'resource-manager',
    pathPrefix: `${compute}/virtualMachines/`,
    kind: 'throttle',
  });
  const request = { nodes: machines.map(nodeOf), verify: [] };
  await t.rejects(instances().lookUp(prodScope, request, context()), { name: 'Failure', kind: 'throttled' });
  t.ok((await paths()).filter((path) => path.startsWith(`${compute}/virtualMachines/`)).length <= 20);
});

await t.test("the provider's own throttling", async (t) => {
  const headers = { 'retry-after': '9', 'x-ms-ratelimit-remaining-resource': 'Microsoft.Compute/GetVM30Min;0' };
  const body = '{"error":{"code":"OperationNotAllowed","message":"too many requests"}}';
  await azure.lab.addFault({ service: 'resource-manager', kind: 'status', status: 429, headers, body });
  await t.rejects(lookUpOne(machinesLab, nodeOf(single)), { name: 'Failure', kind: 'throttled', retryAfterMs: 9_000 });
});

await t.test('machines that may be gone are requested after the others', async (t) => {
  await setMachines([single, scaled]);
  const sent: string[] = [];
  const moment = context();
  const send: typeof moment.http.send = async (request, signal) => {
    sent.push(request.url.pathname);
    return moment.http.send(request, signal);
  };
  const nodes = [{ ...nodeOf(single), mayBeGone: true }, nodeOf(scaled)];
  await instances().lookUp(prodScope, { nodes, verify: [] }, { ...moment, http: { ...moment.http, send } });
  const machines = sent.filter((path) => [single.id, scaled.id].includes(path));
  t.strictSame(machines, [scaled.id, single.id]);
});

await t.test('the token is kept, and fetched again after it was refused', async (t) => {
  await setMachines([single]);
  const kept = instances();
  const request = { nodes: [nodeOf(single)], verify: [] };
  const tokens = async (): Promise<number> =>
    (await azure.lab.requests()).filter(({ path }) => path.startsWith('/metadata/identity')).length;
  await kept.lookUp(prodScope, request, context());
  await kept.lookUp(prodScope, request, context());
  t.equal(await tokens(), 1);
  await azure.lab.addFault({ service: 'resource-manager', kind: 'status', status: 401, count: 1 });
  await t.rejects(kept.lookUp(prodScope, request, context()), { name: 'Failure', kind: 'denied' });
  t.match((await kept.lookUp(prodScope, request, context())).get(nodeOf(single).uid), { status: 'running' });
  t.equal(await tokens(), 2);
});

await t.test('access is verified by the subscription', async (t) => {
  t.equal(await instances().verifyAccess(prodScope, context()), true);
  const own = instances({ scopes: [] });
  const [scope] = own.scopesOf(nodeOf(single)) ?? [];
  if (scope === undefined) throw new Error('it has no scope');
  t.equal(await own.verifyAccess(scope, context()), false, 'no machine was found yet');
  await setMachines([single]);
  await own.lookUp(scope, { nodes: [nodeOf(single)], verify: [] }, context());
  t.equal(await own.verifyAccess(scope, context()), true);
});

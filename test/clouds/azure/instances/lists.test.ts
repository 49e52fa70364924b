import t from 'tap';
import type { NodeFacts } from '../../../../clouds/cloud.ts';
import { labGroup, labSubscription, virtualMachines } from '../../../lab/clouds/azure/virtual-machine.ts';
import type { LabVirtualMachine } from '../../../lab/clouds/azure/virtual-machine.ts';
import { lookUpOne, nodeOf, prodScope, startMachinesLab } from '../machines-lab.ts';

const machinesLab = await startMachinesLab(t);
const { azure, instances, context, setMachines, paths } = machinesLab;
const [single] = virtualMachines({ count: 1, number: 1 }) as readonly [LabVirtualMachine];
const [scaled] = virtualMachines({ count: 1, number: 2, scaleSet: 'Pool' }) as readonly [LabVirtualMachine];
const compute = `${labGroup}/providers/Microsoft.Compute`;
const many = [
  ...virtualMachines({ count: 30, number: 4 }),
  ...virtualMachines({ count: 12, number: 5, scaleSet: 'many' }),
];
const all = { nodes: many.map(nodeOf), verify: [] };

await t.test('many are looked up by lists, in pages, and the lists are kept for the next batch', async (t) => {
  const withPublic = many.map((each) => ({
    ...each,
    interfaces: each.interfaces.map(({ primary, addresses }) => ({
      primary,
      addresses: addresses.map(({ privateIp }) => ({ privateIp, publicIp: privateIp.replace('10.', '51.') })),
    })),
  }));
  await setMachines(withPublic);
  await azure.lab.update({ resourceManager: { pageSize: 10 } });
  const kept = instances();
  const results = await kept.lookUp(prodScope, all, context());
  const [first] = many;
  t.match(results.get(nodeOf(first as LabVirtualMachine).uid), {
    status: 'running',
    by: 'list',
    instance: {
      instanceId: first?.vmId,
      zone: 'westeurope-1',
      addresses: [
        { type: 'InternalIP', address: '10.4.0.0' },
        { type: 'ExternalIP', address: '51.4.0.0' },
      ],
    },
  });
  for (const node of all.nodes) t.match(results.get(node.uid), { status: 'running', by: 'list' });
  // Four lists of three pages, and three of two.
  t.equal((await paths()).length, 4 * 3 + 3 * 2);
  await kept.lookUp(prodScope, all, context());
  t.equal((await paths()).length, 4 * 3 + 3 * 2);
});

await t.test('what a list leaves out, or shows as anything but running as before, is looked up by id', async (t) => {
  const machines = many.slice(0, 3).concat(many.slice(4));
  await setMachines(machines.map((each) => (each.id === many[1]?.id ? { ...each, powerState: 'deallocated' } : each)));
  await azure.lab.update({ resourceManager: { leftOut: many.slice(0, 1).map(({ id }) => id) } });
  const nodes = all.nodes.map((node, index) => (index === 2 ? { ...node, instanceId: single.vmId } : node));
  const results = await instances().lookUp(prodScope, { nodes, verify: nodes.slice(7, 8) }, context());
  const expected = [
    [0, { status: 'running', by: 'id' }],
    [1, { status: 'stopped', by: 'id' }],
    [2, { status: 'running', by: 'id', instance: { instanceId: many[2]?.vmId } }],
    [3, { status: 'not-found' }],
    // The canary.
    [7, { status: 'running', by: 'id' }],
    [8, { status: 'running', by: 'list' }],
  ] as const;
  const found = nodes.map(({ uid }) => results.get(uid));
  for (const [index, result] of expected) t.match(found[index], result, String(index));
});

await t.test(
  'the lists have everything, and each machine answers 404: nothing is gone that a list shows',
  async (t) => {
    await setMachines(many);
    const pathPrefix = `${compute}/virtualMachines/`;
    const body = '{"error":{"code":"ResourceNotFound","message":"gone"}}';
    await azure.lab.addFault({ service: 'resource-manager', pathPrefix, kind: 'status', status: 404, body });
    const results = await instances().lookUp(prodScope, all, context());
    t.ok([...results.values()].every(({ status }) => status === 'running'));
  },
);

const badLists: Readonly<Record<string, string>> = {
  'an empty list': '{"value":[]}',
  'a list that is none': '{"value":{}}',
  'a list that comes back': '{"value":[],"nextLink":"https://management.azure.com/subscriptions/x?a=b"}',
  'a list that goes on elsewhere': '{"value":[],"nextLink":"https://evil.example/"}',
};
for (const [name, body] of Object.entries(badLists)) {
  await t.test(`${name}: each machine is looked up by id`, async (t) => {
    await setMachines(many);
    for (const pathPrefix of [`/subscriptions/${labSubscription}/providers/`, '/subscriptions/x']) {
      await azure.lab.addFault({ service: 'resource-manager', pathPrefix, kind: 'status', status: 200, body });
    }
    const results = await instances().lookUp(prodScope, all, context());
    t.match(results.get(all.nodes[0]?.uid ?? ''), { status: 'running', by: 'id' });
    t.match(results.get(all.nodes[35]?.uid ?? ''), { status: 'running', by: 'list' });
  });
}

await t.test('a throttled list does not become many requests', async (t) => {
  await setMachines(many);
  await azure.lab.addFault({ service: 'resource-manager', kind: 'throttle', retryAfterS: 3 });
  await t.rejects(instances().lookUp(prodScope, all, context()), { name: 'Failure', kind: 'throttled' });
  t.ok((await paths()).length <= 7);
});

function nodeNamed(name: string): NodeFacts {
  return { uid: `uid of ${name}`, name, nodeIps: [], labels: {} };
}

await t.test('nodes without a providerID are found by the names in their systems', async (t) => {
  await setMachines([single, scaled, ...many]);
  const nodes = [nodeNamed('lab-vm-1-0'), nodeNamed('pool000000'), nodeNamed('POOL000000'), nodeNamed('other')];
  const results = await instances().lookUp(prodScope, { nodes, verify: [] }, context());
  const [ofSingle, ofScaled, again, ofNone] = nodes.map(({ uid }) => results.get(uid));
  t.match(ofSingle, { status: 'running', by: 'list', instance: { providerId: `azure://${single.id}` } });
  t.match(ofScaled, { status: 'running', by: 'list', instance: { providerId: `azure://${scaled.id}` } });
  t.match(again, { status: 'running' });
  t.match(ofNone, { status: 'unknown', failure: { kind: 'not-found', message: /name other/ } });
});

await t.test('a name that two machines have', async (t) => {
  const twin = { ...single, id: single.id.replace('/lab/', '/lab2/') };
  await setMachines([single, twin]);
  await azure.lab.update({ resourceManager: { resourceGroups: [labGroup, `${labGroup}2`] } });
  t.match(await lookUpOne(machinesLab, nodeNamed('lab-vm-1-0')), {
    status: 'ambiguous',
    candidates: [`azure://${single.id}`, `azure://${twin.id}`],
  });
});

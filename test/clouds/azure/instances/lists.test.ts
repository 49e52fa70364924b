import t from 'tap';
import type { LookupContext, NodeFacts } from '../../../../clouds/cloud.ts';
import { Failure } from '../../../../lib/failure.ts';
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

await t.test('what a list leaves out, or shows as another machine, is looked up by id', async (t) => {
  const machines = many.slice(0, 3).concat(many.slice(4));
  await setMachines(machines.map((each) => (each.id === many[1]?.id ? { ...each, powerState: 'deallocated' } : each)));
  await azure.lab.update({ resourceManager: { leftOutOfLists: many.slice(0, 1).map(({ id }) => id) } });
  const nodes = all.nodes.map((node, index) => (index === 2 ? { ...node, instanceId: single.vmId } : node));
  const results = await instances().lookUp(prodScope, { nodes, verify: nodes.slice(7, 8) }, context());
  const expected = [
    [0, { status: 'running', by: 'id' }],
    [1, { status: 'stopped', by: 'list' }],
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

await t.test('a fault domain is looked up by id where lists do not show it, unless the Node has it', async (t) => {
  await azure.lab.update({ resourceManager: { faultDomainsInLists: false } });
  await setMachines(many.map((each) => ({ ...each, zones: [], faultDomain: 2 })));
  const labels = { 'topology.kubernetes.io/zone': '2' };
  const nodes = all.nodes.map((node, index) => (index % 2 === 0 ? { ...node, labels } : node));
  const results = await instances().lookUp(prodScope, { nodes, verify: [] }, context());
  for (const [index, { uid }] of nodes.entries()) {
    const result = results.get(uid);
    t.match(result, { status: 'running', by: index % 2 === 0 ? 'list' : 'id' });
    if (result !== undefined && 'instance' in result) t.equal(result.instance.zone, index % 2 === 0 ? undefined : '2');
  }
});

await t.test('machines that may be gone are looked up by id although the kept lists show them', async (t) => {
  const kept = instances();
  await setMachines(many);
  await kept.lookUp(prodScope, all, context());
  const [, gone, stopped] = many;
  await setMachines(
    many.filter((each) => each !== gone).map((each) => (each === stopped ? { ...each, powerState: 'stopped' } : each)),
  );
  const nodes = all.nodes.map((node, index) => (index < 5 ? { ...node, mayBeGone: true } : node));
  const before = (await paths()).length;
  const results = await kept.lookUp(prodScope, { nodes, verify: nodes.slice(7, 8) }, context());
  const found = nodes.map(({ uid }) => results.get(uid));
  t.match(found.slice(0, 3), [
    { status: 'running', by: 'id' },
    { status: 'not-found' },
    { status: 'stopped', by: 'id' },
  ]);
  t.match(found[5], { status: 'running', by: 'list' });
  // Five machines, the current list of their group, and the canary with its interface.
  t.equal((await paths()).length - before, 5 + 1 + 2);
});

await t.test('of many that may be gone, some are looked up by id each time, in turn', async (t) => {
  await setMachines(many);
  const kept = instances();
  const nodes = all.nodes.map((node) => ({ ...node, mayBeGone: true }));
  const lookedUpById = async (): Promise<readonly string[]> => {
    const results = await kept.lookUp(prodScope, { nodes, verify: [] }, context());
    return [...results].flatMap(([uid, result]) => ('by' in result && result.by === 'id' ? [uid] : []));
  };
  const turns: (readonly string[])[] = [];
  for (let at = 0; at < nodes.length; at += 10) turns.push(await lookedUpById());
  for (const uids of turns) t.equal(uids.length, 10);
  t.equal(new Set(turns.flat()).size, nodes.length, 'each had its turn');
});

await t.test('interfaces of machines that may be gone are read once a minute', async (t) => {
  await setMachines([single]);
  const kept = instances();
  const node = { ...nodeOf(single), mayBeGone: true };
  const address = async (wanted: NodeFacts = node): Promise<string | undefined> => {
    const result = (await kept.lookUp(prodScope, { nodes: [wanted], verify: [] }, moment)).get(wanted.uid);
    return result !== undefined && 'instance' in result ? result.instance.addresses[0]?.address : undefined;
  };
  const moment = context();
  t.equal(await address(), '10.1.0.0');
  const moved = { ...single, interfaces: [{ primary: true, addresses: [{ privateIp: '10.7.7.7' }] }] };
  await setMachines([moved]);
  t.equal(await address(), '10.1.0.0');
  t.equal(await address(nodeOf(single)), '10.7.7.7', 'one that is not');
  await setMachines([{ ...moved, vmId: single.vmId.replace(/^./, '6') }]);
  t.equal(await address(), '10.7.7.7', 'another machine of that name');
  await setMachines([moved]);
  t.equal(await address(), '10.1.0.0');
  await moment.clock.sleep(60_000, moment.signal);
  t.equal(await address(), '10.7.7.7');
});

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

/** One look-up that has the tokens for so many requests. */
function limited(requests: number, nowMs: number): LookupContext {
  let left = requests;
  return {
    ...context(),
    clock: { ...context().clock, monotonicMs: () => nowMs },
    beforeCall: async () => {
      left -= 1;
      if (left < 0) throw new Failure('throttled', 'no time is left', { remedy: 'wait', retryAfterMs: 200 });
    },
  };
}

async function listRequests(): Promise<readonly string[]> {
  const requests = await azure.lab.requests();
  return requests.flatMap(({ service, path }) => (service === 'resource-manager' ? [path] : []));
}

await t.test('lists that take longer than one look-up are finished by the next ones', async (t) => {
  await setMachines(many);
  await azure.lab.update({ resourceManager: { pageSize: 5 } });
  const kept = instances();
  for (const [nowMs, requests] of [
    [0, 8],
    [30_000, 12],
  ] as const) {
    await t.rejects(kept.lookUp(prodScope, all, limited(requests, nowMs)), { name: 'Failure', kind: 'throttled' });
  }
  const results = await kept.lookUp(prodScope, all, limited(50, 60_000));
  for (const node of all.nodes) t.match(results.get(node.uid), { status: 'running', by: 'list' });
  const requests = await listRequests();
  // Three lists of six pages and two of three. No interface has a public address.
  t.equal(requests.length, 3 * 6 + 2 * 3);
  t.equal(new Set(requests).size, requests.length, 'no page was requested twice');
  // From their end they are kept for 10 s.
  await kept.lookUp(prodScope, all, limited(0, 69_000));
  await t.rejects(kept.lookUp(prodScope, all, limited(0, 71_000)), { name: 'Failure', kind: 'throttled' });
});

await t.test('lists that were begun too long ago are begun anew', async (t) => {
  await setMachines(many);
  await azure.lab.update({ resourceManager: { pageSize: 5 } });
  const kept = instances();
  await t.rejects(kept.lookUp(prodScope, all, limited(8, 0)), { name: 'Failure', kind: 'throttled' });
  const before = await listRequests();
  await kept.lookUp(prodScope, all, limited(50, 2 * 60_000));
  t.ok((await listRequests()).slice(before.length).includes(before[0] ?? ''));
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

await t.test('the names of many are read once for all batches, over several look-ups if it takes that', async (t) => {
  await setMachines(many);
  await azure.lab.update({ resourceManager: { pageSize: 5 } });
  const kept = instances();
  const nodes = Array.from({ length: 10 }, (_each, index) => nodeNamed(`many${String(index).padStart(6, '0')}`));
  const first = { nodes: nodes.slice(0, 5), verify: [] };
  const second = { nodes: nodes.slice(5), verify: [] };
  await t.rejects(kept.lookUp(prodScope, first, limited(4, 0)), { name: 'Failure', kind: 'throttled' });
  const lookups = [first, second].map((batch) => kept.lookUp(prodScope, batch, limited(100, 1_000)));
  for (const results of await Promise.all(lookups)) {
    for (const result of results.values()) t.match(result, { status: 'running', by: 'list' });
  }
  const lists = (await listRequests()).filter(
    (path) => !path.includes('nic') && !path.includes('many/virtualMachines/'),
  );
  // Machines in six pages, one of scale sets, and the machines of one set in three.
  t.equal(lists.length, 6 + 1 + 3);
});

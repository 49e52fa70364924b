import t from 'tap';
import type { NodeFacts } from '../../../../clouds/cloud.ts';
import { otherTenant } from '../../../lab/clouds/azure/state.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { labGroup, labSubscription, virtualMachines } from '../../../lab/clouds/azure/virtual-machine.ts';
import type { LabVirtualMachine, ResourceManagerState } from '../../../lab/clouds/azure/virtual-machine.ts';
import { nodeOf, prodScope, startMachinesLab } from '../machines-lab.ts';
import { isSighted } from '../../sightings.ts';

const { azure, instances, context, setMachines } = await startMachinesLab(t);
const { lab } = azure;
const [single] = virtualMachines({ count: 1, number: 1 }) as readonly [LabVirtualMachine];
const [scaled] = virtualMachines({ count: 1, number: 2, scaleSet: 'Pool' }) as readonly [LabVirtualMachine];
const flexible = {
  ...single,
  id: `${single.id}-flex`,
  flexibleSet: `${labGroup}/providers/Microsoft.Compute/virtualMachineScaleSets/flex`,
};
const others = virtualMachines({ count: 20, number: 3 });

/** How the Node of a machine is looked up: by id or with lists, with Ready nodes to verify or without. */
const alone = [
  { way: 'alone, with Ready nodes', among: 0, verified: 3 },
  { way: 'alone, without Ready nodes', among: 0, verified: 0 },
] as const;
const verified = { way: 'among many, with Ready nodes', among: 20, verified: 3 } as const;
const unverified = { way: 'among many, without Ready nodes', among: 20, verified: 0 } as const;
type Way = (typeof alone)[number] | typeof verified | typeof unverified;

interface Kind {
  readonly kind: string;
  readonly machine: LabVirtualMachine;
  readonly ways: readonly Way[];
}

/** The lists that have a machine of a flexible set are those of machines of their own. */
const kinds: readonly Kind[] = [
  { kind: 'a machine of its own', machine: single, ways: [...alone, verified] },
  { kind: 'one of a uniform set', machine: scaled, ways: [...alone, unverified] },
  { kind: 'one of a flexible set', machine: flexible, ways: alone },
];

async function isSightedIn(node: NodeFacts, way: Way): Promise<boolean> {
  const cloudScope = { cloud: { name: 'azure', instances: instances() }, scope: prodScope };
  const ready = others.map(nodeOf);
  const request = { node, others: ready.slice(0, way.among), verify: ready.slice(0, way.verified) };
  return isSighted(cloudScope, request, context());
}

function silent(machine: LabVirtualMachine): NodeFacts {
  return { ...nodeOf(machine), instanceId: machine.vmId, mayBeGone: true };
}

type Begin = (machine: LabVirtualMachine) => Promise<void>;

const service = 'resource-manager';
const manager =
  (state: Partial<ResourceManagerState>): Begin =>
  () =>
    lab.update({ resourceManager: state });
const own = { 'x-ms-correlation-request-id': '00000000-0000-4000-8000-000000000000' };
const errorBody = (code: string): string => JSON.stringify({ error: { code, message: 'it was not found' } });
const fault =
  (given: Omit<Extract<Fault, { kind: 'status' }>, 'service' | 'kind'>): Begin =>
  () =>
    lab.addFault({ service, kind: 'status', ...given });
/** Both in turn. */
const both =
  (...begins: readonly Begin[]): Begin =>
  async (machine) => {
    for (const begin of begins) await begin(machine);
  };
const change =
  (changed: Partial<LabVirtualMachine>): Begin =>
  (machine) =>
    setMachines([{ ...machine, ...changed }, ...others]);
const hidden: Begin = ({ id }) => lab.update({ resourceManager: { hiddenFromGet: [id] } });
const allIds = [single, scaled, flexible, ...others].map(({ id }) => id);
const groupLists = `${labGroup}/providers/Microsoft.Compute/virtualMachine`;
/** A request for one machine has a further slash. */
const lists = ['s?', 'ScaleSets?', 'ScaleSets/Pool/virtualMachines?'].map((end) => `${groupLists}${end}`);
const failingLists = (status: number, body: string): Begin =>
  both(hidden, ...lists.map((pathPrefix) => fault({ status, body, headers: own, pathPrefix })));

const live: Readonly<Record<string, Begin>> = {
  nothing: () => Promise.resolve(),
  'the lists are whole, and every request for a machine is 404': manager({ hiddenFromGet: allIds }),
  'this machine alone is 404, and listed': hidden,
  'it is 404, and listed in capitals': both(hidden, ({ id }) =>
    setMachines([single, scaled, flexible, ...others].map((each) => (each.id === id ? capitals(each) : each))),
  ),
  'it is 404, and on a later page of the list': both(hidden, manager({ pageSize: 1 })),
  'it is 404, and the lists cannot be read': failingLists(403, errorBody('AuthorizationFailed')),
  'it is 404, and the lists are throttled': failingLists(429, errorBody('TooManyRequests')),
  'it is 404, and the lists fail': failingLists(500, errorBody('InternalServerError')),
  'it is 404, and the lists have another format': failingLists(200, '{"value":[{}]}'),
  'it is 404, and the lists are errors': failingLists(200, errorBody('InternalServerError')),
  'lists leave it out': ({ id }) => lab.update({ resourceManager: { leftOutOfLists: [id] } }),
  'lists are empty': both(
    ...[`/subscriptions/${labSubscription}/providers/`, ...lists].map((pathPrefix) =>
      fault({ status: 200, body: '{"value":[]}', headers: own, pathPrefix }),
    ),
  ),
  '404 for the resource group': manager({ resourceGroups: [] }),
  '404 for the subscription': manager({ subscriptions: {} }),
  '404 for the type of the resource': fault({ status: 404, headers: own, body: errorBody('InvalidResourceType') }),
  "a gateway's 404 in Azure's words": fault({ status: 404, body: errorBody('ResourceNotFound') }),
  "a proxy's 404": fault({ status: 404, headers: own, body: '<html>' }),
  "Azure's own 404 for everything": fault({ status: 404, headers: own, body: errorBody('ResourceNotFound') }),
  '400 for everything': fault({ status: 400, headers: own, body: errorBody('InvalidParameter') }),
  '410 for everything': fault({ status: 410, headers: own, body: errorBody('ResourceNotFound') }),
  '200 with an error body': fault({ status: 200, headers: own, body: errorBody('ResourceNotFound') }),
  '200 without a body': () => lab.addFault({ service, kind: 'empty' }),
  'a token of another tenant': manager({ subscriptions: { [labSubscription]: { tenantId: otherTenant } } }),
  'no permission': manager({ readers: [] }),
  'no token': () => lab.addFault({ service: 'imds', kind: 'status', status: 400 }),
  throttling: () => lab.addFault({ service, kind: 'throttle' }),
  '500': fault({ status: 500 }),
  'a reset': () => lab.addFault({ service, kind: 'reset' }),
  'it is deallocated': change({ powerState: 'deallocated' }),
  'it was evicted, and the policy is to deallocate': change({ powerState: 'deallocated', provisioningState: 'Failed' }),
  'it is stopped': change({ powerState: 'stopped' }),
  'it is being deleted': change({ provisioningState: 'Deleting' }),
  'it is being updated': change({ provisioningState: 'Updating', powerState: null }),
};

function capitals(machine: LabVirtualMachine): LabVirtualMachine {
  return { ...machine, id: machine.id.replace('/resourceGroups/lab', '/RESOURCEGROUPS/LAB') };
}

t.beforeEach(() => setMachines([single, scaled, flexible, ...others]));

for (const [name, begin] of Object.entries(live)) {
  await t.test(`a machine that exists is not reported as gone: ${name}`, async (t) => {
    for (const { kind, machine, ways } of kinds) {
      await lab.clearFaults();
      await begin(machine);
      for (const each of ways) t.equal(await isSightedIn(silent(machine), each), false, `${kind}, ${each.way}`);
    }
  });
}

const gone: Readonly<Record<string, Begin>> = {
  'it was deleted, or evicted with the policy to delete': () => setMachines(others),
  'it was deleted, and others of its set were not': () =>
    setMachines([{ ...scaled, id: scaled.id.replace(/0$/, '1') }, { ...flexible, id: `${flexible.id}2` }, ...others]),
};
for (const [name, begin] of Object.entries(gone)) {
  await t.test(`a machine that does not exist is: ${name}`, async (t) => {
    for (const { kind, machine, ways } of kinds) {
      await begin(machine);
      for (const each of ways) t.equal(await isSightedIn(silent(machine), each), true, `${kind}, ${each.way}`);
    }
  });
}

await t.test('a name that another machine has: the kubelet on the Node decides', async (t) => {
  const oldId = 'd0df4c54-4ecb-4a4b-9954-5bdf3ed5c3b8';
  const oldIdByGeneration1 = '544cdfd0-cb4e-4b4a-9954-5bdf3ed5c3b8';
  for (const { kind, machine, ways } of kinds) {
    const reused = { ...silent(machine), instanceId: oldId };
    for (const each of ways) {
      const sighted = async (systemUuid?: string): Promise<boolean> =>
        isSightedIn({ ...reused, ...(systemUuid !== undefined && { systemUuid }) }, each);
      const what = `${kind}, ${each.way}`;
      t.equal(await sighted(oldId), true, `the old one: ${what}`);
      t.equal(await sighted(oldIdByGeneration1), true, `the old one, in the other byte order: ${what}`);
      t.equal(await sighted(machine.vmId.toUpperCase()), false, `the new one: ${what}`);
      t.equal(await sighted(), false, `not known: ${what}`);
    }
  }
});

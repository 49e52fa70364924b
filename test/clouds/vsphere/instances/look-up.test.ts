import t from 'tap';
import type { NodeFacts } from '../../../../clouds/cloud.ts';
import { swapByteOrder } from '../../../../clouds/vsphere/provider-id.ts';
import { labVm, labVms } from '../../../lab/clouds/vsphere/state.ts';
import type { LabVm, VcenterState } from '../../../lab/clouds/vsphere/state.ts';
import { labelsOf, lookUpOne, nodeNamed, nodeOf, startVcenterLab } from '../vcenter-lab.ts';

const { lab, instances, context, change } = await startVcenterLab(t);
const vm = labVm(1);
const swapped = swapByteOrder(vm.uuid);
t.beforeEach(() => lab.reset());

interface Row {
  readonly name: string;
  readonly vms: Readonly<Record<string, LabVm>>;
  readonly node: NodeFacts;
  readonly expected: object;
  readonly state?: Partial<VcenterState>;
}

const running = { status: 'running', instance: { providerId: `vsphere://${vm.uuid}` } };
const rows: readonly Row[] = [
  {
    name: 'a machine with all that a Node needs',
    vms: { 'vm-1': vm },
    node: nodeOf(vm),
    expected: {
      status: 'running',
      by: 'id',
      instance: {
        providerId: `vsphere://${vm.uuid}`,
        type: 'vsphere-vm.cpu-4.mem-15gb.os-ubuntu',
        addresses: [
          { type: 'Hostname', address: 'node-1' },
          { type: 'InternalIP', address: '10.3.0.1' },
          { type: 'ExternalIP', address: '10.3.0.1' },
        ],
        labels: { 'polycloud.dev/vsphere-vcenter': 'a', 'polycloud.dev/vsphere-vm': 'vm-1' },
      },
    },
  },
  {
    name: 'a guest that the table does not know',
    vms: { 'vm-1': { ...vm, guestId: 'debian12_64Guest' } },
    node: nodeOf(vm),
    expected: { instance: { type: 'vsphere-vm.cpu-4.mem-15gb.os-unknown' } },
  },
  {
    name: 'powered off, without addresses as VMware Tools do not run',
    vms: { 'vm-1': { ...vm, powerState: 'poweredOff', hostName: '', nics: [] } },
    node: nodeOf(vm),
    expected: { status: 'stopped', instance: { addresses: [] } },
  },
  {
    name: 'suspended',
    vms: { 'vm-1': { ...vm, powerState: 'suspended' } },
    node: nodeOf(vm),
    expected: { status: 'stopped' },
  },
  {
    name: 'a power state of the future',
    vms: { 'vm-1': { ...vm, powerState: 'hibernated' } },
    node: nodeOf(vm),
    expected: { status: 'unknown', failure: { message: /power state of vm-1 is hibernated/ } },
  },
  {
    name: 'powered off as far as vCenter knows, but its host cannot be reached',
    vms: { 'vm-1': { ...vm, powerState: 'poweredOff', connectionState: 'disconnected' } },
    node: nodeOf(vm),
    expected: { status: 'unknown', failure: { message: /does not reach vm-1 \(disconnected\)/ } },
  },
  {
    name: 'running without an address yet',
    vms: { 'vm-1': { ...vm, nics: [] } },
    node: nodeOf(vm),
    expected: { status: 'unknown', failure: { message: /VMware Tools in vm-1 report no address/ } },
  },
  {
    name: 'two machines with the same BIOS UUID',
    vms: { 'vm-1': vm, 'vm-2': { ...vm, name: 'copy' } },
    node: nodeOf(vm),
    expected: { status: 'ambiguous', candidates: ['a/vm-1 (worker 1)', 'a/vm-2 (copy)'] },
  },
  {
    name: 'a template beside the machine',
    vms: { 'vm-1': vm, 'vm-2': { ...vm, isTemplate: true } },
    node: nodeOf(vm),
    expected: running,
  },
  {
    name: 'a machine that became a template',
    vms: { 'vm-1': { ...vm, isTemplate: true } },
    node: nodeOf(vm),
    expected: { status: 'unknown', failure: { message: /is a template now/ } },
  },
  {
    name: 'a providerID in the other byte order keeps it',
    vms: { 'vm-1': vm },
    node: nodeOf(vm, { providerId: `vsphere://${swapped}` }),
    expected: { status: 'running', instance: { providerId: `vsphere://${swapped}` } },
  },
  {
    name: 'a providerID in capitals keeps them',
    vms: { 'vm-1': vm },
    node: nodeOf(vm, { providerId: `vsphere://${vm.uuid.toUpperCase()}` }),
    expected: { status: 'running', instance: { providerId: `vsphere://${vm.uuid.toUpperCase()}` } },
  },
  {
    name: 'the exact UUID wins over the other byte order of another machine',
    vms: { 'vm-1': vm, 'vm-2': labVm(2, { uuid: swapped, hostName: 'other' }) },
    node: nodeOf(vm),
    expected: { ...running, instance: { addresses: [{ address: 'node-1' }, {}, {}] } },
  },
  {
    name: 'the other byte order, and a system UUID of a third machine',
    vms: { 'vm-1': vm },
    node: nodeOf(vm, { providerId: `vsphere://${swapped}`, systemUuid: labVm(3).uuid }),
    expected: { status: 'unknown', failure: { message: /and the system UUID/ } },
  },
  {
    name: 'no providerID: the system UUID',
    vms: { 'vm-1': vm },
    node: nodeNamed('any', { systemUuid: vm.uuid.toUpperCase() }),
    expected: running,
  },
  {
    name: 'no providerID: the system UUID in the other byte order',
    vms: { 'vm-1': vm },
    node: nodeNamed('any', { systemUuid: swapped }),
    expected: running,
  },
  {
    name: 'no providerID: one machine for each byte order',
    vms: { 'vm-1': vm, 'vm-2': labVm(2, { uuid: swapped }) },
    node: nodeNamed('any', { systemUuid: swapped }),
    expected: { status: 'ambiguous' },
  },
  {
    name: 'no providerID and no system UUID: the host name',
    vms: { 'vm-1': vm, 'vm-2': labVm(2) },
    node: nodeNamed('node-1'),
    expected: running,
  },
  {
    name: 'two machines with the host name',
    vms: { 'vm-1': vm, 'vm-2': labVm(2, { hostName: 'node-1' }) },
    node: nodeNamed('node-1'),
    expected: { status: 'ambiguous' },
  },
  {
    name: 'a machine with the host name, whose BIOS UUID is not the system UUID',
    vms: { 'vm-1': vm },
    node: nodeNamed('node-1', { systemUuid: labVm(3).uuid }),
    expected: { status: 'unknown', failure: { message: /vm-1 in a, which has its host name, has the BIOS UUID/ } },
  },
  {
    name: 'no machine for a node without a providerID',
    vms: { 'vm-1': vm },
    node: nodeNamed('node-9', { systemUuid: labVm(9).uuid }),
    expected: { status: 'unknown', failure: { kind: 'not-found' } },
  },
  {
    name: 'a machine that does not exist',
    vms: { 'vm-1': vm },
    node: nodeOf(labVm(9), labelsOf('a', 'vm-9')),
    expected: {
      status: 'not-found',
      evidence: /^FindAllByUuid of a\.vcenter\.lab returned no .*; vm-9 is ManagedObjectNotFound$/,
    },
  },
  {
    name: 'a machine that was never found',
    vms: { 'vm-1': vm },
    node: nodeOf(labVm(9)),
    expected: { status: 'unknown', failure: { message: /no label polycloud\.dev\/vsphere-vcenter/ } },
  },
  {
    name: 'a machine whose object is not known',
    vms: { 'vm-1': vm },
    node: nodeOf(labVm(9), { labels: { 'polycloud.dev/vsphere-vcenter': 'a' } }),
    expected: { status: 'unknown', failure: { message: /no label polycloud\.dev\/vsphere-vm/ } },
  },
  {
    name: 'a machine that was found in a vCenter that is no longer in the configuration',
    vms: { 'vm-1': vm },
    node: nodeOf(labVm(9), labelsOf('c', 'vm-9')),
    expected: { status: 'unknown', failure: { message: /in a vCenter that the configuration does not have/ } },
  },
  {
    name: 'a machine that the account cannot see any more',
    vms: { 'vm-1': vm, 'vm-9': labVm(9) },
    state: { hidden: ['vm-9'] },
    node: nodeOf(labVm(9), labelsOf('a', 'vm-9')),
    expected: { status: 'unknown', failure: { message: /vm-9 in a, the machine of node-9, exists/ } },
  },
  {
    name: 'a machine whose BIOS UUID was changed',
    vms: { 'vm-1': vm, 'vm-2': labVm(2) },
    node: nodeOf(labVm(9), labelsOf('a', 'vm-2')),
    expected: { status: 'unknown', failure: { message: /vm-2 in a, the machine of node-9, exists/ } },
  },
  {
    name: 'the last machine of all was deleted, and the account can still read',
    vms: {},
    node: nodeOf(vm, labelsOf('a', 'vm-1')),
    expected: { status: 'not-found' },
  },
  {
    name: 'no machine is visible, and the account has no role that can read',
    vms: { 'vm-1': vm },
    state: { hidden: 'all', roles: [-5, -4] },
    node: nodeOf(vm, labelsOf('a', 'vm-9')),
    expected: { status: 'unknown', failure: { kind: 'denied' } },
  },
  {
    name: 'the search finds nothing any more',
    vms: { 'vm-1': vm, 'vm-2': labVm(2) },
    state: { leftOutOfSearches: 'all' },
    node: nodeOf(labVm(9), labelsOf('a', 'vm-9')),
    expected: { status: 'unknown', failure: { message: /lists .*, but does not find it/ } },
  },
  {
    name: 'the search does not find this machine, and the list has it',
    vms: { 'vm-1': vm, 'vm-2': labVm(2) },
    state: { leftOutOfSearches: ['vm-1'] },
    node: nodeOf(vm, labelsOf('a', 'vm-9')),
    expected: { status: 'unknown', failure: { message: /lists .*, but does not find it/ } },
  },
];

for (const { name, vms, state, node, expected } of rows) {
  await t.test(name, async (t) => {
    await change('a', { vms, ...state });
    t.match(await lookUpOne(instances(), node, context()), expected);
  });

  await t.test(`${name}; among many`, async (t) => {
    const many = Object.fromEntries(
      Object.entries(labVms(30))
        .slice(20)
        .map(([id, each]) => [`of-many-${id}`, each]),
    );
    const isAloneInVcenter = Object.keys(vms).length === 0 || state?.hidden === 'all';
    await change('a', { vms: isAloneInVcenter ? vms : { ...vms, ...many }, ...state });
    const nodes = [...Object.values(many).map((each) => nodeOf(each)), node];
    const results = await instances()
      .lookUp({ cloud: 'vsphere', key: 'vsphere/a' }, { nodes, verify: [] }, context())
      .catch((failure: unknown) => new Map([[node.uid, { status: 'unknown', failure }]]));
    const { by: _, ...others } = expected as { readonly by?: string };
    if (state?.leftOutOfSearches !== undefined && 'status' in expected && Object.keys(vms).includes('vm-1')) return;
    t.match(results.get(node.uid), others);
  });
}

await t.test('a list that does not end is no response', async (t) => {
  await change('a', { vms: { 'vm-1': vm }, endless: true });
  await t.rejects(lookUpOne(instances(), nodeOf(vm), context()), { message: /does not end/ });
});

await t.test('a machine that was registered again keeps its Node, with another object', async (t) => {
  await change('a', { vms: { 'vm-7': vm, 'vm-2': labVm(2) } });
  t.match(await lookUpOne(instances(), nodeOf(vm, labelsOf('a', 'vm-1')), context()), {
    status: 'running',
    instance: labelsOf('a', 'vm-7'),
  });
});

await t.test('with datacenters, copies elsewhere do not count, and machines that moved there are found', async (t) => {
  const config = { vcenters: [{ name: 'a', server: 'a.vcenter.lab', datacenters: ['/DC1'] }] };
  const inOurs = { ...vm, datacenter: 'DC1' };
  await change('a', { vms: { 'vm-1': inOurs, 'vm-2': vm, 'vm-3': labVm(3) } });
  t.match(await lookUpOne(instances(config), nodeOf(vm), context()), running);
  t.match(await lookUpOne(instances(config), nodeOf(labVm(3)), context()), { status: 'running' });
  t.match(await lookUpOne(instances(config), nodeNamed('node-1'), context()), running);
  t.match(await lookUpOne(instances(config), nodeNamed('node-3'), context()), { status: 'unknown' });
  const wrong = { vcenters: [{ name: 'a', server: 'a.vcenter.lab', datacenters: ['DC-West'] }] };
  await t.rejects(lookUpOne(instances(wrong), nodeNamed('node-1'), context()), {
    message: /no datacenter at "DC-West"/,
  });
});

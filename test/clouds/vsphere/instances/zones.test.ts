import t from 'tap';
import { labVm, labVms } from '../../../lab/clouds/vsphere/state.ts';
import type { LabTag, LabVm } from '../../../lab/clouds/vsphere/state.ts';
import { lookUpOne, nodeOf, scopeA, startVcenterLab } from '../vcenter-lab.ts';

const { lab, instances, context, change, methods } = await startVcenterLab(t);
const tagCategories = { zone: 'k8s-zone', region: 'k8s-region' };
const zone = (name: string): LabTag => ({ category: 'k8s-zone', name });
const region = (name: string): LabTag => ({ category: 'k8s-region', name });
const other = { category: 'owner', name: 'team-a' };
const vm = labVm(1);
t.beforeEach(() => lab.reset());

interface Row {
  readonly name: string;
  readonly tags: Readonly<Record<string, readonly LabTag[]>>;
  readonly categories?: typeof tagCategories | { readonly zone: string } | { readonly region: string };
  readonly vm?: Partial<LabVm>;
  readonly expected: object;
}

const rows: readonly Row[] = [
  {
    name: 'tags of the host',
    tags: { 'HostSystem:host-1': [other, zone('z1'), region('r1')] },
    expected: { instance: { zone: 'z1', region: 'r1' } },
  },
  {
    name: 'tags above the host; the nearest counts',
    tags: {
      'ClusterComputeResource:cluster-1': [zone('z1')],
      'Folder:group-h1': [zone('z2')],
      'Datacenter:datacenter-1': [zone('z3'), region('r1')],
      'Folder:group-d1': [region('r2')],
    },
    expected: { instance: { zone: 'z1', region: 'r1' } },
  },
  {
    name: 'the way of the resource pool, if that of the host lacks one',
    tags: { 'HostSystem:host-1': [zone('z1')], 'ResourcePool:resgroup-1': [zone('z2'), region('r2')] },
    expected: { instance: { zone: 'z2', region: 'r2' } },
  },
  {
    name: 'the machine and its folders, if the others lack one',
    tags: { 'VirtualMachine:vm-1': [zone('z4')], 'Folder:group-v1': [zone('z5'), region('r5')] },
    expected: { instance: { zone: 'z4', region: 'r5' } },
  },
  {
    name: 'only a category for zones',
    tags: { 'Datacenter:datacenter-1': [zone('z1'), region('r1')] },
    categories: { zone: 'k8s-zone' },
    expected: { instance: { zone: 'z1', region: undefined } },
  },
  {
    name: 'no tag: a new Node must not go without',
    tags: { 'Datacenter:datacenter-1': [zone('z1'), other] },
    expected: { status: 'unknown', failure: { message: /vm-1 has no tag of k8s-zone and k8s-region/ } },
  },
];

for (const { name, tags, categories = tagCategories, vm: changes, expected } of rows) {
  await t.test(name, async (t) => {
    await change('a', { vms: { 'vm-1': { ...vm, ...changes } }, tags });
    t.match(await lookUpOne(instances({ tagCategories: categories }), nodeOf(vm), context()), expected);
  });
}

await t.test('a Node that has zone and region keeps them while tags cannot be read', async (t) => {
  const labels = { 'topology.kubernetes.io/zone': 'z1', 'topology.kubernetes.io/region': 'r1' };
  const failing = async (node: ReturnType<typeof nodeOf>): Promise<unknown> =>
    lookUpOne(instances({ tagCategories }), node, context());
  await change('a', { vms: { 'vm-1': vm } });
  await lab.addFault({ service: 'a', pathPrefix: '/rest/', kind: 'status', status: 503 });
  t.match(await failing(nodeOf(vm, { labels })), { status: 'running', instance: { zone: undefined } });
  t.match(await failing(nodeOf(vm)), { status: 'unknown', failure: { kind: 'unavailable' } });
  await change('a', { vms: { 'vm-1': { ...vm, powerState: 'poweredOff' } } });
  t.match(await failing(nodeOf(vm, { labels })), { status: 'stopped' });
});

await t.test(
  'tags of 1,000 machines take few calls, and a session of the REST API that ended is renewed',
  async (t) => {
    await change('a', { vms: labVms(1_000), tags: { 'HostSystem:host-1': [zone('z1'), region('r1')] } });
    const cloud = instances({ tagCategories });
    const nodes = Object.values(labVms(1_000)).map((each) => nodeOf(each));
    await cloud.lookUp(scopeA, { nodes, verify: [] }, context());
    const before = (await methods('a')).length;
    await change('a', { restSessions: [] });
    const results = await cloud.lookUp(scopeA, { nodes, verify: [] }, context());
    t.match(results.get(nodes[999]?.uid ?? ''), { instance: { zone: 'z1', region: 'r1' } });
    t.strictSame((await methods('a')).slice(before), [
      'RetrievePropertiesEx',
      '/rest/com/vmware/cis/tagging/tag-association?~action=list-attached-tags-on-objects',
      '/rest/com/vmware/cis/session',
      '/rest/com/vmware/cis/tagging/tag-association?~action=list-attached-tags-on-objects',
    ]);
  },
);

await t.test('each tag and category is named once, for 1,000 machines without a login before', async (t) => {
  const tags = {
    'HostSystem:host-1': [zone('z1'), other],
    'Folder:group-h1': [zone('z2'), other],
    'Datacenter:datacenter-1': [zone('z3'), region('r1')],
  };
  await change('a', { vms: labVms(1_000), tags });
  const nodes = Object.values(labVms(1_000)).map((each) => nodeOf(each));
  await instances({ tagCategories }).lookUp(scopeA, { nodes, verify: [] }, context());
  const called = await methods('a');
  const named = called.filter((each) => each.includes('/id:'));
  t.equal(named.length, 5 + 3);
  t.equal(new Set(named).size, named.length);
  t.equal(called.length - named.length, 8);
});

await t.test('addresses that cloud-init sets come first, where there are several', async (t) => {
  const metadata = 'network: { ethernets: { eth0: { addresses: [10.3.0.7/16] } } }';
  const extraConfig = {
    'guestinfo.metadata': Buffer.from(metadata).toString('base64'),
    'guestinfo.metadata.encoding': 'base64',
  };
  const nics = [{ network: 'VM Network', deviceConfigId: 4000, addresses: ['10.3.0.100', '10.3.0.7'] }];
  await change('a', { vms: { 'vm-1': { ...vm, nics, extraConfig } } });
  t.match(await lookUpOne(instances(), nodeOf(vm), context()), {
    instance: { addresses: [{ address: 'node-1' }, { address: '10.3.0.7' }, { address: '10.3.0.7' }] },
  });
});

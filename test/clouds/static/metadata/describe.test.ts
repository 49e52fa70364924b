import t from 'tap';
import type { Instance, NodeFacts } from '../../../../clouds/cloud.ts';
import { createStaticInstances } from '../../../../clouds/static/instances/index.ts';
import { createStaticMetadata } from '../../../../clouds/static/metadata/index.ts';
import { planAddresses } from '../../../../lib/node/addresses.ts';
import { unusedContext } from '../../contexts.ts';
import { fakeHost } from '../../fake-host.ts';

const file = '/etc/polycloud/inventory.yaml';
const uuid = '4c4c4544-0042-3510-8053-b4c04f4d3332';
const inventory = `
machines:
  - name: metal-1
    addresses: [{ type: InternalIP, address: 192.168.7.1 }]
    zone: rack-7
    labels: { example.com/row: '3' }
  - { name: metal-2, systemUuid: ${uuid} }
  - { name: metal-3, retired: true }
  - { name: twin, zone: a }
  - { name: twin, zone: b }
`;

function facts(name: string, more: Partial<NodeFacts>): NodeFacts {
  return { uid: `uid of ${name}`, name, nodeIps: [], labels: {}, ...more };
}

function describe(node: NodeFacts, files: Readonly<Record<string, string>>): Promise<Instance> {
  return createStaticMetadata(file, fakeHost(files)).describe(node, unusedContext);
}

await t.test('a machine is described as the controller would have it', async (t) => {
  const host = fakeHost({ [file]: inventory });
  const instances = createStaticInstances(file, host);
  for (const node of [
    facts('metal-1', {}),
    facts('renamed', { providerId: 'static://metal-1' }),
    facts('other', { systemUuid: uuid.toUpperCase() }),
  ]) {
    const finding = (
      await instances.lookUp({ cloud: 'static', key: 'static' }, { nodes: [node], verify: [] }, unusedContext)
    ).get(node.uid);
    if (finding?.status !== 'running') throw new Error(`${node.name} is not there`);
    t.strictSame(await describe(node, { [file]: inventory }), finding.instance, node.name);
  }
});

await t.test('both families for a kubelet that names both', async (t) => {
  const providedNodeIps = ['fd00::7', '192.168.7.1'];
  const listed = providedNodeIps.toReversed().map((address) => ({ type: 'InternalIP' as const, address }));
  const machines = `machines: [{ name: dual, addresses: ${JSON.stringify(listed)} }]`;
  const { addresses } = await describe(facts('dual', { nodeIps: providedNodeIps }), { [file]: machines });
  t.strictSame(planAddresses({ instance: addresses, node: [], providedNodeIps }), {
    kind: 'addresses',
    addresses: listed.toReversed(),
  });
});

const failures: readonly (readonly [NodeFacts, object])[] = [
  [facts('metal-9', {}), { kind: 'not-found', message: /metal-9 is not in the inventory/ }],
  [facts('metal-3', { providerId: 'static://metal-3' }), { kind: 'not-found', message: /retired/ }],
  [facts('metal-3', {}), { kind: 'not-found', message: /retired/ }],
  [facts('twin', {}), { kind: 'misconfigured', message: /several machines .*: twin, twin/ }],
];
for (const [node, expected] of failures) {
  await t.test(`${node.name} is a failure`, async (t) => {
    await t.rejects(describe(node, { [file]: inventory }), { name: 'Failure', ...expected });
  });
}

const readings: readonly (readonly [files: Readonly<Record<string, string>>, word: string])[] = [
  [{ [file]: inventory }, 'yes'],
  [{ [file]: 'machines: []' }, 'yes'],
  [{ [file]: 'machines: 1' }, 'unknown'],
  [{}, 'unknown'],
];
for (const [files, word] of readings) {
  await t.test(`with ${JSON.stringify(files).slice(0, 60)} it is here: ${word}`, async (t) => {
    t.equal(await createStaticMetadata(file, fakeHost(files)).detect(unusedContext), word);
  });
}

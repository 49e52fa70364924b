import t from 'tap';
import type { LookupResult, NodeFacts } from '../../../../clouds/cloud.ts';
import { createStatic } from '../../../../clouds/static/index.ts';
import { createStaticInstances } from '../../../../clouds/static/instances/index.ts';
import { unusedContext } from '../../contexts.ts';
import { defaultConfig } from '../../../../schemas/config/defaults.ts';
import { fakeHost } from '../../fake-host.ts';

const uuid = '4c4c4544-0042-3510-8053-b4c04f4d3332';
const inventory = `
machines:
  - name: metal-1
    addresses:
      - { type: InternalIP, address: 192.168.7.1 }
      - { type: Hostname, address: metal-1 }
    type: r750
    region: cellar
    zone: rack-7
    labels: { example.com/row: '3' }
  - name: metal-2
    systemUuid: ${uuid}
    addresses: [{ type: InternalIP, address: 192.168.7.2 }]
  - { name: metal-3, retired: true }
  - { name: twin, zone: a }
  - { name: twin, zone: b }
`;
const file = '/etc/polycloud/inventory.yaml';
const scope = { cloud: 'static', key: 'static' };
const facts = (name: string, more: Partial<NodeFacts>): NodeFacts => ({
  uid: `uid of ${name}`,
  name,
  nodeIps: [],
  labels: {},
  ...more,
});

async function find(node: NodeFacts, text: string): Promise<LookupResult | undefined> {
  const instances = createStaticInstances(file, fakeHost({ [file]: text }));
  return (await instances.lookUp(scope, { nodes: [node], verify: [] }, unusedContext)).get(node.uid);
}

const metal1 = {
  status: 'running',
  by: 'id',
  instance: {
    providerId: 'static://metal-1',
    type: 'r750',
    region: 'cellar',
    zone: 'rack-7',
    addresses: [
      { type: 'InternalIP', address: '192.168.7.1' },
      { type: 'Hostname', address: 'metal-1' },
    ],
    labels: { 'example.com/row': '3' },
  },
};
const metal2 = { status: 'running', instance: { providerId: 'static://metal-2', labels: {} } };

const rows: readonly (readonly [what: string, node: NodeFacts, expected: object])[] = [
  ['by its name', facts('metal-1', {}), { ...metal1, by: 'list' }],
  ['by its providerID', facts('renamed', { providerId: 'static://metal-1' }), metal1],
  ['by its system UUID, in any case', facts('other', { systemUuid: uuid.toUpperCase() }), metal2],
  ['a providerID goes before a UUID', facts('other', { providerId: 'static://metal-1', systemUuid: uuid }), metal1],
  [
    'name and UUID of two machines',
    facts('metal-1', { systemUuid: uuid }),
    { status: 'ambiguous', candidates: ['metal-1', `metal-2 (${uuid})`] },
  ],
  ['two machines of one name', facts('twin', {}), { status: 'ambiguous', candidates: ['twin', 'twin'] }],
  [
    'two machines of one providerID',
    facts('x', { providerId: 'static://twin' }),
    { status: 'ambiguous', candidates: ['twin', 'twin'] },
  ],
  [
    'retired, by its providerID',
    facts('metal-3', { providerId: 'static://metal-3' }),
    { status: 'terminated', evidence: `${file} says retired: true of metal-3` },
  ],
  ['retired, but never ours', facts('metal-3', {}), { status: 'unknown', failure: { message: /is retired/ } }],
  [
    'in no list',
    facts('metal-9', { providerId: 'static://metal-9' }),
    {
      status: 'unknown',
      failure: { kind: 'not-found', message: /metal-9 \(static:\/\/metal-9\) is not in the inventory/ },
    },
  ],
  [
    'in no list, by name',
    facts('metal-9', {}),
    { status: 'unknown', failure: { message: /^metal-9 is not in the inventory/ } },
  ],
];
for (const [what, node, expected] of rows) {
  await t.test(what, async (t) => {
    const finding = await find(node, inventory);
    if ('by' in expected) t.same(finding, expected);
    else t.match(finding, expected);
  });
}

const broken: readonly (readonly [text: string, message: RegExp, remedy: RegExp])[] = [
  ['', /line 1: machines is missing$/, /^add it; it means: The machines/],
  ['machines: 1', /line 1: machines must be a list$/, /^correct it; it means: /],
  ['machines:\n  - name: a\n   x', /line 3: is not YAML/, /^correct it$/],
  [
    'machines:\n  - nam: a\n    zone: b',
    /line 2: machines\[0\]\.name is missing$/,
    /^add it; .*; and there is 1 more mistake$/,
  ],
  [
    'machines:\n  - name: a\n    retierd: true',
    /line 3: machines\[0\]\.retierd is not a known key$/,
    /mean retired\?$/,
  ],
  [
    'machines: [{ name: a, x: b }]',
    /machines\[0\]\.x is not a known key$/,
    /^remove it; the known keys here are name, /,
  ],
  ['machines: [{ name: a, retired: yes please }]', /machines\[0\]\.retired must be of type boolean$/, /gone for good/],
  ['machines: [{ name: A }]', /machines\[0\]\.name must be a name in lower case$/, /it means: The name of the Node/],
  ['machines: [{ name: a, systemUuid: 12 }]', /systemUuid must be of type string$/, /product_uuid/],
  [
    'machines: [{ name: a, addresses: [{ type: IP, address: 1.2.3.4 }] }]',
    /machines\[0\]\.addresses\[0\]\.type must be one of Hostname, InternalIP, /,
    /^correct it$/,
  ],
];
for (const [text, message, remedy] of broken) {
  await t.test(`an invalid inventory has no results: ${JSON.stringify(text)}`, async (t) => {
    await t.rejects(find(facts('metal-1', {}), text), { kind: 'misconfigured', message, remedy });
  });
}

await t.test('a missing inventory has no results', async (t) => {
  const instances = createStaticInstances(file, fakeHost({}));
  await t.rejects(instances.lookUp(scope, { nodes: [], verify: [] }, unusedContext), {
    kind: 'misconfigured',
    message: /does not exist/,
  });
  t.equal(await instances.verifyAccess(scope, unusedContext), false);
});

await t.test('the file is read at each look', async (t) => {
  const files = { [file]: inventory };
  const instances = createStaticInstances(file, fakeHost(files));
  const node = facts('metal-9', { providerId: 'static://metal-9' });
  t.match((await instances.lookUp(scope, { nodes: [node], verify: [] }, unusedContext)).get(node.uid), {
    status: 'unknown',
  });
  files[file] = 'machines: [{ name: metal-9 }]';
  t.match((await instances.lookUp(scope, { nodes: [node], verify: [] }, unusedContext)).get(node.uid), {
    status: 'running',
  });
  t.equal(await instances.verifyAccess(scope, unusedContext), true);
  files[file] = 'machines: []';
  t.equal(await instances.verifyAccess(scope, unusedContext), false);
});

await t.test('whose nodes are ours', (t) => {
  const { scopesOf: route } = createStaticInstances(file, fakeHost({}));
  t.same(route(facts('a', { providerId: 'static://a' })), [scope]);
  t.same(route(facts('a', {})), [scope]);
  t.same(route(facts('a', { providerId: '' })), [scope]);
  for (const providerId of ['aws:///z/i-1', 'static:a', 'xstatic://a', 'i-12345678']) {
    t.equal(route(facts('a', { providerId })), undefined, providerId);
  }
  t.end();
});

await t.test('without an inventory there is no such capability', async (t) => {
  const world = { env: {}, host: fakeHost({}) };
  t.equal((await createStatic({ ...world, config: defaultConfig })).instances, undefined);
  t.ok((await createStatic({ ...world, config: { ...defaultConfig, static: { inventoryFile: file } } })).instances);
});

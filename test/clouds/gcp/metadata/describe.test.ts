import t from 'tap';
import { parseMetadata } from '../../../../clouds/gcp/metadata/parse.ts';
import type { GcpMetadataTexts } from '../../../../clouds/gcp/metadata/parse.ts';
import { planAddresses } from '../../../../lib/node/addresses.ts';
import { startGcpLab } from '../gcp-lab.ts';

const { lab, describe, detect, requestLines: asked } = await startGcpLab(t);
t.beforeEach(() => lab.reset());

await t.test('the instance as a Node needs it, by six questions', async (t) => {
  t.strictSame(await describe({}), {
    providerId: 'gce://lab-project/us-central1-a/lab-node-1',
    instanceId: '4520031799277581759',
    type: 'e2-standard-4',
    region: 'us-central1',
    zone: 'us-central1-a',
    addresses: [{ type: 'InternalIP', address: '10.0.0.30' }],
    labels: {},
  });
  t.equal((await asked()).length, 6);
  t.notOk((await asked()).some((request) => request.includes('attributes')));
});

await t.test('all interfaces, IPv4 first, and what is public', async (t) => {
  const interfaces = [{ ip: '10.0.0.30', externalIp: '192.0.2.30', ipv6s: ['2001:db8::30'] }, { ip: '10.1.0.30' }];
  await lab.update({ instance: { interfaces } });
  t.strictSame((await describe({})).addresses, [
    { type: 'InternalIP', address: '10.0.0.30' },
    { type: 'InternalIP', address: '10.1.0.30' },
    { type: 'InternalIP', address: '2001:db8::30' },
    { type: 'ExternalIP', address: '192.0.2.30' },
  ]);
});

await t.test('both families for a kubelet that names both', async (t) => {
  await lab.update({ instance: { interfaces: [{ ip: '10.0.0.30', ipv6s: ['2001:db8::30'] }, { ip: '10.1.0.30' }] } });
  const { addresses } = await describe({});
  const providedNodeIps = ['2001:db8::30', '10.0.0.30'];
  t.strictSame(planAddresses({ instance: addresses, node: [], providedNodeIps }), {
    kind: 'addresses',
    addresses: providedNodeIps.map((address) => ({ type: 'InternalIP', address })),
  });
});

await t.test('of IPv6 only', async (t) => {
  await lab.update({ instance: { interfaces: [{ ip: '', ipv6s: ['fd20::30'] }] } });
  t.strictSame((await describe({})).addresses, [{ type: 'InternalIP', address: 'fd20::30' }]);
});

const noNodeIps = { nodeIps: [] };
const right: GcpMetadataTexts = {
  project: 'lab-project',
  name: 'lab-node-1',
  id: '4520031799277581759',
  zone: 'projects/123456789012/zones/us-central1-a',
  machineType: 'projects/123456789012/machineTypes/custom-4-8192-ext',
  interfaces: '[{"ip":"10.0.0.30"}]',
};
const wrong: ReadonlyArray<readonly [key: keyof GcpMetadataTexts, text: string | undefined]> = [
  ['project', undefined],
  ['project', 'x/y'],
  ['name', undefined],
  ['name', 'Node 1'],
  ['name', '../other'],
  ['id', undefined],
  ['id', '0x3eba'],
  ['zone', 'us-central1-a'],
  ['zone', 'projects/1/zones/us-central1'],
  ['zone', 'projects/1/zones/us-central1--a'],
  ['machineType', ''],
  ['interfaces', '[]'],
  ['interfaces', '[{"ip":"","accessConfigs":[{"externalIp":"192.0.2.30"}]}]'],
  ['machineType', 'projects/1/machineTypes/a b'],
  ['interfaces', undefined],
  ['interfaces', '{}'],
  ['interfaces', '<html>'],
  ['interfaces', '[{"ip":"10.0.0"}]'],
  ['interfaces', '[{"ip":"10.0.0.1","accessConfigs":[{"externalIp":"me"}]}]'],
];
for (const [key, text] of wrong) {
  await t.test(`${key} ${JSON.stringify(text)}: nothing of it reaches a Node`, (t) => {
    t.match(parseMetadata(right, noNodeIps), { type: 'custom-4-8192-ext' });
    t.throws(() => parseMetadata({ ...right, [key]: text }, noNodeIps), {
      kind: 'invalid-response',
      message: /^the metadata server (?:does not return|returned an invalid value for) the /,
    });
    t.end();
  });
}

await t.test('a project of an organisation of old', (t) => {
  t.equal(
    parseMetadata({ ...right, project: 'example.com:lab-project' }, noNodeIps).providerId,
    'gce://example.com:lab-project/us-central1-a/lab-node-1',
  );
  t.end();
});

await t.test('an AI zone', (t) => {
  const instance = parseMetadata({ ...right, zone: 'projects/123456789012/zones/us-central1-ai1a' }, noNodeIps);
  t.match(instance, { zone: 'us-central1-ai1a', region: 'us-central1' });
  t.equal(instance.providerId, 'gce://lab-project/us-central1-ai1a/lab-node-1');
  t.end();
});

const machines: ReadonlyArray<
  readonly [what: string, files: Readonly<Record<string, string>>, up: boolean, is: string]
> = [
  ['the firmware of Google, and no response', { product_name: 'Google Compute Engine\n' }, false, 'yes'],
  ['the firmware has only the vendor', { sys_vendor: 'Google\n' }, false, 'yes'],
  ['no firmware text, and a response', {}, true, 'yes'],
  ['the firmware of another vendor, and no response', { sys_vendor: 'Amazon EC2\n' }, false, 'no'],
  ['no firmware text and no response', {}, false, 'unknown'],
];
for (const [what, files, up, is] of machines) {
  await t.test(`${what}: ${is}`, async (t) => {
    if (!up) await lab.addFault({ service: 'metadata', kind: 'refuse' });
    const paths = Object.entries(files).map(([name, text]) => [`/sys/class/dmi/id/${name}`, text] as const);
    t.equal(await detect({ files: Object.fromEntries(paths) }), is);
  });
}

await t.test('another cloud’s service at the address is not Google’s', async (t) => {
  await lab.addFault({ service: 'metadata', kind: 'status', status: 401, headers: { server: 'EC2ws' } });
  t.equal(await detect({}), 'unknown');
});

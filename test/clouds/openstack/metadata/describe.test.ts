import t from 'tap';
import type { FailureKind } from '../../../../lib/failure.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import {
  apiStateOf,
  ec2MetaDataOf,
  metaDataOf,
  networkDataOf,
} from '../../../lab/clouds/openstack/metadata-documents.ts';
import type { LabPortMetadata, LabServerMetadata } from '../../../lab/clouds/openstack/metadata-documents.ts';
import { lookUp, nodeOf } from '../openstack-lab.ts';
import { plainServer, startMetadataLab } from './metadata-lab.ts';
import type { MetadataMachine } from './metadata-lab.ts';

const { lab, openstack, describe, instances, sent } = await startMetadataLab(t);

const [plainPort] = plainServer.ports as readonly [LabPortMetadata];
const secondPort: LabPortMetadata = {
  // It is before the other in Neutron's order.
  portId: 'b0000000-0000-4000-8000-000000000002',
  networkId: 'a0000000-0000-4000-8000-000000000002',
  mac: 'fa:16:3e:00:00:02',
  subnets: [{ version: 4, address: '10.1.0.11', mode: 'dhcp' }],
};
const withSubnets = (subnets: LabPortMetadata['subnets']): Partial<LabServerMetadata> => ({
  ports: [{ ...plainPort, subnets }],
});

interface Shape {
  readonly changed?: Partial<LabServerMetadata>;
  readonly machine?: MetadataMachine;
}

const shapes: Readonly<Record<string, Shape>> = {
  'with an address by DHCP': {},
  'with a static address': { changed: withSubnets([{ version: 4, address: '10.0.0.11', mode: 'static' }]) },
  'with a floating address': {
    changed: withSubnets([{ version: 4, address: '10.0.0.11', mode: 'dhcp', floating: '203.0.113.11' }]),
  },
  'of both families': {
    changed: withSubnets([
      { version: 4, address: '10.0.0.11', mode: 'dhcp' },
      { version: 6, address: '2001:db8::11', mode: 'slaac' },
    ]),
  },
  'whose IPv6 address is first for Neutron': {
    changed: withSubnets([
      { version: 4, address: '203.0.113.11', mode: 'dhcp' },
      { version: 6, address: '2001:db8::11', mode: 'dhcpv6-stateful' },
    ]),
  },
  'of IPv6 only': { changed: withSubnets([{ version: 6, address: '2001:db8::11', mode: 'slaac' }]) },
  'of both families, of which only IPv4 is wanted': {
    changed: withSubnets([
      { version: 4, address: '10.0.0.11', mode: 'dhcp' },
      { version: 6, address: '2001:db8::11', mode: 'slaac' },
    ]),
    machine: { config: { ipv6: false } },
  },
  'with two ports': {
    changed: { ports: [plainPort, secondPort] },
    machine: { own: { 'fa:16:3e:00:00:02': ['10.1.0.11', '10.1.0.99'] } },
  },
  'with two ports, of which one is static': {
    changed: {
      ports: [{ ...plainPort, subnets: [{ version: 4, address: '10.0.0.11', mode: 'static' }] }, secondPort],
    },
    machine: { own: { 'fa:16:3e:00:00:02': ['10.1.0.11'] } },
  },
  'with an order of addresses': {
    changed: { ports: [plainPort, secondPort] },
    machine: { own: { 'fa:16:3e:00:00:02': ['10.1.0.11'] }, config: { addressSortOrder: ['10.0.0.0/24'] } },
  },
  'with a property hostname': { changed: { properties: { hostname: 'node-a.example.com', other: 'x' } } },
  'in a zone with a space': { changed: { availabilityZone: 'Zone 1 (old)' } },
  'without a zone': { changed: { availabilityZone: null } },
  'of a flavor with a space': { changed: { flavor: 'Large, 4 GB' } },
  'in a region': { machine: { config: { region: 'RegionOne' } } },
  'whose providerID has the region': { machine: { config: { region: 'RegionOne', regionInProviderId: true } } },
};
for (const [name, { changed, machine = {} }] of Object.entries(shapes)) {
  await t.test(`a server ${name} is the same by its own metadata and by Nova`, async (t) => {
    const server = { ...plainServer, ...changed };
    await lab.update({ ...apiStateOf(server), metadata: { server } });
    const config = { region: 'RegionOne', ...machine.config };
    const [result] = await lookUp(instances(config), [nodeOf({ id: server.uuid })], openstack.context());
    if (result?.status !== 'running') throw new Error(`Nova does not show it: ${JSON.stringify(result)}`);
    t.strictSame(await describe({ ...machine, config }), result.instance);
  });
}

await t.test('the instance as a Node needs it, by five requests; the id is not that of EC2', async (t) => {
  t.strictSame(await describe(), {
    providerId: 'openstack:///fbb1fd83-4a4e-4ea1-88f9-4d2e2e8c3f7a',
    type: 'm1.large',
    zone: 'nova',
    addresses: [{ type: 'InternalIP', address: '10.0.0.11' }],
    labels: { 'polycloud.dev/openstack-project-id': plainServer.projectId },
  });
  t.strictSame(sent.map(({ url, route }) => `${route} ${url.href}`).toSorted(), [
    'direct http://169.254.169.254/latest/meta-data/instance-type',
    'direct http://169.254.169.254/latest/meta-data/local-ipv4',
    'direct http://169.254.169.254/latest/meta-data/public-ipv4',
    'direct http://169.254.169.254/openstack/latest/meta_data.json',
    'direct http://169.254.169.254/openstack/latest/network_data.json',
  ]);
});

/** Its lines are those of a machine with a pod: lo, the default route of eth0, an address of eth0, a pod. */
const routes = `00000000000000000000000000000001 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000000 00000004 00000000 80200001       lo
00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe80000000000000f8163efffe000001 00000400 00000001 00000000 00000003     eth0
fe800000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
fe800000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001 cali12345
00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
`;

await t.test(
  'without a route for IPv4 the other address is asked, at the interface of the default route alone',
  async (t) => {
    const server = { ...plainServer, ...withSubnets([{ version: 6, address: '2001:db8::11', mode: 'slaac' }]) };
    await lab.update({ metadata: { server } });
    const { addresses } = await describe({ hasIpv4: false, files: { '/proc/net/ipv6_route': routes } });
    t.strictSame(addresses, [{ type: 'InternalIP', address: '2001:db8::11' }]);
    const answered = sent.filter(({ url }) => url.host === '[fe80::a9fe:a9fe]');
    t.equal(answered.length, 5);
    for (const { zone } of answered) t.equal(zone, 'eth0');
  },
);

await t.test('without a default route only IPv4 is asked', async (t) => {
  await t.rejects(describe({ hasIpv4: false }), {
    name: 'Failure',
    kind: 'unavailable',
    remedy: /openstack\.configDrive/,
  });
  t.ok(sent.every(({ url }) => url.host === '169.254.169.254'));
});

await t.test('before Liberty there is no network_data.json: the local address is known all the same', async (t) => {
  await lab.addFault({
    service: 'metadata',
    kind: 'status',
    status: 404,
    pathPrefix: '/openstack/latest/network_data.json',
  });
  t.strictSame((await describe()).addresses, [{ type: 'InternalIP', address: '10.0.0.11' }]);
});

await t.test('of a port whose interface is not there yet, nothing is claimed', async (t) => {
  await lab.update({ metadata: { server: { ...plainServer, ports: [plainPort, secondPort] } } });
  t.strictSame((await describe()).addresses, [{ type: 'InternalIP', address: '10.0.0.11' }]);
});

const drive = (server: LabServerMetadata): Readonly<Record<string, string>> => ({
  '/mnt/config/openstack/latest/meta_data.json': JSON.stringify(metaDataOf(server)),
  '/mnt/config/openstack/latest/network_data.json': JSON.stringify(networkDataOf(server)),
  '/mnt/config/ec2/latest/meta-data.json': JSON.stringify(ec2MetaDataOf(server, '')),
});
const onDrive = { configDrive: '/mnt/config' };

await t.test('a config drive has the same, but for external addresses', async (t) => {
  const floating = withSubnets([{ version: 4, address: '10.0.0.11', mode: 'dhcp', floating: '203.0.113.11' }]);
  const { addresses, ...others } = await describe();
  t.strictSame(await describe({ config: onDrive, files: drive({ ...plainServer, ...floating }) }), {
    ...others,
    addresses,
    unread: ['external-addresses'],
  });
});

await t.test('the service is asked only if no drive is mounted there', async (t) => {
  await describe({ config: onDrive, files: drive(plainServer) });
  t.strictSame(sent, []);
  t.equal((await describe({ config: onDrive })).unread, undefined);
  t.equal(sent.length, 5);
});

await t.test('a drive that cannot be read is a failure, and the service is not asked', async (t) => {
  const files = drive(plainServer);
  for (const file of Object.keys(files)) {
    const broken = { ...files, [file]: '<html>' };
    await t.rejects(describe({ config: onDrive, files: broken }), { name: 'Failure', kind: 'invalid-response' }, file);
  }
  t.strictSame(sent, []);
});

for (const config of [{ publicNetworks: ['x'] }, { internalNetworks: ['x'] }, { regionInProviderId: true }]) {
  await t.test(`${JSON.stringify(config)}: what the metadata cannot tell is refused`, async (t) => {
    await t.rejects(describe({ config }), { name: 'Failure', kind: 'misconfigured', remedy: /openstack\./ });
    t.strictSame(sent, []);
  });
}

const metaDataPath = '/openstack/latest/meta_data.json';
const networkDataPath = '/openstack/latest/network_data.json';
const wrong: ReadonlyArray<readonly [path: string, body: string]> = [
  [metaDataPath, '<html>'],
  [metaDataPath, '{}'],
  [metaDataPath, '{"uuid":"i-00000001"}'],
  [metaDataPath, '{"uuid":"FBB1FD83-4A4E-4EA1-88F9-4D2E2E8C3F7A"}'],
  [networkDataPath, '[]'],
  [networkDataPath, '{"links":[{"id":"a"}],"networks":[{"type":"ipv4","link":"a","ip_address":"10.0.0"}]}'],
  ['/latest/meta-data/local-ipv4', '<html>'],
  ['/latest/meta-data/public-ipv4', 'FIXME'],
];
for (const [path, body] of wrong) {
  await t.test(`${path} ${body}: nothing of it reaches a Node`, async (t) => {
    await lab.addFault({ service: 'metadata', kind: 'status', status: 200, pathPrefix: path, body });
    await t.rejects(describe(), {
      kind: 'invalid-response',
      message: /^the metadata of OpenStack has an invalid value for the /,
    });
  });
}

await t.test('a server without any address is no Node', async (t) => {
  await lab.update({ metadata: { server: { ...plainServer, ports: [] } } });
  await t.rejects(describe(), { kind: 'invalid-response', message: /does not have the addresses of the server$/ });
});

const faults: Readonly<Record<string, { readonly fault: Fault; readonly kind: FailureKind }>> = {
  'a closed port': { fault: { service: 'metadata', kind: 'refuse' }, kind: 'unavailable' },
  'errors of the server': { fault: { service: 'metadata', kind: 'status', status: 500 }, kind: 'unavailable' },
  throttling: { fault: { service: 'metadata', kind: 'throttle' }, kind: 'throttled' },
  'a TCP reset': { fault: { service: 'metadata', kind: 'reset' }, kind: 'unavailable' },
  'half a response': { fault: { service: 'metadata', kind: 'cut-off' }, kind: 'unavailable' },
  'a request that Neutron did not pass on': {
    fault: { service: 'metadata', kind: 'status', status: 400 },
    kind: 'denied',
  },
  'a secret that is not Neutron’s': { fault: { service: 'metadata', kind: 'status', status: 403 }, kind: 'denied' },
  'no such server': { fault: { service: 'metadata', kind: 'status', status: 404 }, kind: 'invalid-response' },
};
for (const [name, { fault, kind }] of Object.entries(faults)) {
  await t.test(`${name}: a failure with a hint, and no value; afterwards all is as before`, async (t) => {
    await lab.addFault(fault);
    await t.rejects(describe(), { name: 'Failure', kind, remedy: /./ });
    await lab.clearFaults();
    t.match(await describe(), { zone: 'nova' });
  });
}

for (const kind of ['throttle', 'reset'] as const) {
  await t.test(`${kind} for a moment is waited for`, async (t) => {
    await lab.addFault({ service: 'metadata', kind, count: 3 });
    t.match(await describe(), { zone: 'nova' });
  });
}

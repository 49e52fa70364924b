import t from 'tap';
import type { OpenstackConfig } from '../../../../schemas/config/openstack.ts';
import { portOf, serverFleetOf } from '../../../lab/clouds/openstack/server.ts';
import type { LabPort, LabServer } from '../../../lab/clouds/openstack/server.ts';
import { labProjectId } from '../../../lab/clouds/openstack/state.ts';
import { lookUp, nodeOf, startOpenstackLab } from '../openstack-lab.ts';

// What is expected follows from pkg/openstack/instances_addresses.go of cloud-provider-openstack, commit c453fb7c9.
const { lab, instances: create, context, reset, requestLines } = await startOpenstackLab(t);
const [plain] = Object.values(serverFleetOf({ count: 1, projectId: labProjectId, number: 0 }).servers) as [LabServer];
const fixed = (...addresses: readonly string[]) => addresses.map((address) => ({ address, type: 'fixed' as const }));
const floating = (address: string) => ({ address, type: 'floating' as const });
const internal = (...addresses: readonly string[]) => addresses.map((address) => `InternalIP ${address}`);
const external = (...addresses: readonly string[]) => addresses.map((address) => `ExternalIP ${address}`);

/** Neutron lists ports by their ids. */
function port(last: number, addresses: readonly string[], others: Partial<LabPort> = {}): LabPort {
  return { ...portOf(plain), id: `c0000000-0000-4000-8000-00000000000${last}`, addresses, ...others };
}

interface AddressCase {
  readonly server?: Partial<LabServer>;
  readonly ports?: readonly LabPort[];
  readonly config?: Partial<OpenstackConfig>;
  readonly expected: readonly string[];
}

const twoNetworks = { zebra: fixed('10.2.0.1'), alpha: [...fixed('10.1.0.1'), floating('192.0.2.1')] };
const dualStack = {
  server: { addresses: { nodes: fixed('fd00::1', '10.0.0.1') } },
  ports: [port(1, ['10.0.0.1', 'fd00::1'])],
};
const cases: Readonly<Record<string, AddressCase>> = {
  'one network': { expected: internal('10.0.0.0') },
  'the order of the ports, before that of the names of the networks': {
    server: { addresses: twoNetworks },
    ports: [port(1, ['10.2.0.1']), port(2, ['10.1.0.1'])],
    expected: [...internal('10.2.0.1', '10.1.0.1'), ...external('192.0.2.1')],
  },
  'ports that are not active come later, by the names of their networks': {
    server: { addresses: twoNetworks },
    ports: [port(1, ['10.2.0.1'], { status: 'DOWN' }), port(2, ['10.1.0.1'], { status: 'BUILD' })],
    expected: [...internal('10.1.0.1'), ...external('192.0.2.1'), ...internal('10.2.0.1')],
  },
  'access addresses and a host name, before floating addresses': {
    server: {
      accessIPv4: '198.51.100.1',
      accessIPv6: '2001:db8::1',
      metadata: { hostname: 'a.example.com' },
      addresses: { nodes: [...fixed('10.0.0.0'), floating('192.0.2.1')] },
    },
    expected: [
      ...internal('10.0.0.0'),
      ...external('198.51.100.1', '2001:db8::1'),
      'Hostname a.example.com',
      ...external('192.0.2.1'),
    ],
  },
  'both families in the order of the port': { ...dualStack, expected: internal('10.0.0.1', 'fd00::1') },
  'without IPv6': { ...dualStack, config: { ipv6: false }, expected: internal('10.0.0.1') },
  'a public network': {
    server: { addresses: twoNetworks },
    ports: [port(1, ['10.2.0.1']), port(2, ['10.1.0.1'])],
    config: { publicNetworks: ['zebra'] },
    expected: [...internal('10.1.0.1'), ...external('192.0.2.1', '10.2.0.1')],
  },
  'internal networks, without the addresses of others': {
    server: { addresses: twoNetworks },
    ports: [port(1, ['10.2.0.1']), port(2, ['10.1.0.1'])],
    config: { internalNetworks: ['zebra'] },
    expected: [...internal('10.2.0.1'), ...external('192.0.2.1')],
  },
  'ranges first, in each by their numbers, and the others after them': {
    server: { addresses: { nodes: fixed('10.0.0.20', '172.16.0.2', '10.0.0.3', '10.0.0.100', 'fd00::2') } },
    ports: [port(1, ['10.0.0.20', '172.16.0.2', '10.0.0.3', '10.0.0.100', 'fd00::2'])],
    config: { addressSortOrder: ['fd00::/8', '10.0.0.0/8'] },
    expected: internal('fd00::2', '10.0.0.3', '10.0.0.20', '10.0.0.100', '172.16.0.2'),
  },
};

t.beforeEach(reset);

for (const [what, { server = {}, ports = [portOf(plain)], config = {}, expected }] of Object.entries(cases)) {
  await t.test(what, async (t) => {
    await lab.update({
      servers: { [plain.id]: { ...plain, ...server } },
      ports: Object.fromEntries(ports.map((each) => [each.id, each])),
    });
    const [result] = await lookUp(create(config), [nodeOf(plain)], context());
    const addresses = result !== undefined && 'instance' in result ? result.instance.addresses : [];
    t.strictSame(
      addresses.map(({ type, address }) => `${type} ${address}`),
      expected,
    );
  });
}

await t.test('sub-ports of a trunk, by the names of their networks', async (t) => {
  const [vlanA, vlanB] = ['a0000000-0000-4000-8000-00000000000a', 'a0000000-0000-4000-8000-00000000000b'];
  const missingPort = 'c0000000-0000-4000-8000-000000000009';
  const trunk = 'e0000000-0000-4000-8000-000000000001';
  const subPorts = [
    port(3, ['10.9.0.1'], { deviceId: trunk, networkId: vlanB }),
    port(4, ['10.8.0.1', 'fd08::1'], { deviceId: trunk, networkId: vlanA }),
  ];
  const parent = port(1, ['10.0.0.0'], { subPorts: subPorts.map(({ id }) => id) });
  await lab.update({
    servers: { [plain.id]: plain },
    ports: Object.fromEntries([parent, ...subPorts].map((each) => [each.id, each])),
    networks: { [vlanA]: { name: 'a' }, [vlanB]: { name: 'b' } },
  });
  const [result] = await lookUp(create({}), [nodeOf(plain)], context());
  const addresses = result !== undefined && 'instance' in result ? result.instance.addresses : [];
  t.strictSame(
    addresses.map(({ address }) => address),
    ['10.0.0.0', '10.8.0.1', 'fd08::1', '10.9.0.1'],
  );
  t.strictSame((await requestLines()).slice(2), [
    'neutron GET /v2.0/ports',
    'neutron GET /v2.0/ports',
    'neutron GET /v2.0/networks',
  ]);
  await lab.update({ ports: { [parent.id]: { ...parent, subPorts: [missingPort] } } });
  t.match(await lookUp(create({}), [nodeOf(plain)], context()), [
    { status: 'unknown', failure: { message: /does not show all sub-ports/ } },
  ]);
});

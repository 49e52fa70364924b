import type { FleetState, LabAddress } from './server.ts';

/** What Nova's metadata service knows of the server that asks it. */
export interface LabServerMetadata {
  readonly uuid: string;
  readonly ec2Id: string;
  readonly name: string;
  readonly hostname: string;
  readonly availabilityZone: string | null;
  readonly flavor: string;
  readonly projectId: string;
  /** The properties that the owner gave the server. */
  readonly properties: Readonly<Record<string, string>>;
  readonly ports: readonly LabPortMetadata[];
}

export interface LabPortMetadata {
  readonly portId: string;
  readonly networkId: string;
  readonly mac: string;
  /** One of each version at most: Nova shows no others. */
  readonly subnets: readonly LabSubnetMetadata[];
}

export interface LabSubnetMetadata {
  readonly version: 4 | 6;
  readonly address: string;
  /** How the server gets the address. `dhcp`: Nova leaves it out of `network_data.json`. */
  readonly mode: 'static' | 'dhcp' | 'slaac' | 'dhcpv6-stateful';
  readonly floating?: string;
}

/** As `_metadata_as_json` in `nova/api/metadata/base.py` does, in the version 2015-10-15 and later. */
export function metaDataOf(server: LabServerMetadata): object {
  return {
    uuid: server.uuid,
    ...(Object.keys(server.properties).length > 0 && { meta: server.properties }),
    hostname: server.hostname,
    name: server.name,
    launch_index: 0,
    availability_zone: server.availabilityZone,
    random_seed: 'bGFi',
    project_id: server.projectId,
    devices: [],
    dedicated_cpus: [],
  };
}

/** As `get_network_metadata` in `nova/virt/netutils.py` does: of each interface IPv4 before IPv6. */
export function networkDataOf({ ports }: LabServerMetadata): object {
  if (ports.length === 0) return {};
  const networks = ports.flatMap((port, at) =>
    port.subnets.toSorted((a, b) => a.version - b.version).map((subnet) => networkOf(port, subnet, `interface${at}`)),
  );
  return {
    links: ports.map(({ portId, mac }, at) => ({
      id: `interface${at}`,
      vif_id: portId,
      type: 'ovs',
      mtu: null,
      ethernet_mac_address: mac,
    })),
    networks: networks.map((network, at) => ({ id: `network${at}`, ...network })),
    services: [],
  };
}

function networkOf(
  { networkId }: LabPortMetadata,
  { version, address, mode }: LabSubnetMetadata,
  link: string,
): object {
  const type = `ipv${version}`;
  if (mode === 'dhcp') return { type: `${type}_dhcp`, link, network_id: networkId };
  return {
    type: mode === 'static' ? type : `${type}_${mode}`,
    link,
    ip_address: address,
    netmask: version === 4 ? '255.255.255.0' : 'ffff:ffff:ffff:ffff::',
    routes: [],
    network_id: networkId,
    services: [],
  };
}

/** As `get_ec2_metadata` in `nova/api/metadata/base.py` does. `address`: who asks, which Nova repeats without an IPv4 address. */
export function ec2MetaDataOf(server: LabServerMetadata, address: string): Readonly<Record<string, string>> {
  const subnets = server.ports.flatMap((port) => port.subnets);
  return {
    'ami-id': 'ami-00000001',
    'ami-launch-index': '0',
    'ami-manifest-path': 'FIXME',
    'block-device-mapping/ami': 'vda',
    'block-device-mapping/root': '/dev/vda',
    hostname: server.hostname,
    'instance-action': 'none',
    'instance-id': server.ec2Id,
    'instance-type': server.flavor,
    'local-hostname': server.hostname,
    'local-ipv4': subnets.find(({ version }) => version === 4)?.address ?? address,
    'placement/availability-zone': server.availabilityZone ?? '',
    'public-hostname': server.hostname,
    'public-ipv4': subnets.find(({ floating }) => floating !== undefined)?.floating ?? '',
    'reservation-id': 'r-lab00001',
    'security-groups': 'default',
  };
}

/** The same server in Nova and Neutron. Neutron sorts the addresses of a port as texts. */
export function apiStateOf(server: LabServerMetadata): FleetState {
  const { uuid: id, projectId, flavor, name, availabilityZone, properties: metadata } = server;
  const networks = Object.fromEntries(server.ports.map(({ networkId }) => [networkId, { name: `net-${networkId}` }]));
  const shown = new Map<string, LabAddress[]>();
  for (const { networkId, subnets } of server.ports) {
    const known = shown.get(`net-${networkId}`) ?? [];
    shown.set(`net-${networkId}`, [...known, ...subnets.flatMap(shownAddresses)]);
  }
  const ports = server.ports.map(({ portId, networkId, subnets }) => ({
    id: portId,
    projectId,
    deviceId: id,
    networkId,
    status: 'ACTIVE' as const,
    addresses: subnets.map(({ address }) => address).toSorted(),
  }));
  const zone = availabilityZone ?? '';
  return {
    servers: {
      [id]: { id, projectId, name, status: 'ACTIVE', flavor, zone, metadata, addresses: Object.fromEntries(shown) },
    },
    ports: Object.fromEntries(ports.map((port) => [port.id, port])),
    networks,
  };
}

function shownAddresses({ address, floating }: LabSubnetMetadata): readonly LabAddress[] {
  const fixed = { address, type: 'fixed' as const };
  return floating === undefined ? [fixed] : [fixed, { address: floating, type: 'floating' }];
}

import type { NodeAddress } from '../../../schemas/kubernetes.ts';
import type { OpenstackConfig } from '../../../schemas/config/openstack.ts';
import type { NovaServer } from '../schemas.ts';
import type { ServerPorts } from './ports.ts';

export type NetworkRules = Pick<OpenstackConfig, 'publicNetworks' | 'internalNetworks'>;

interface NetworkAddress {
  readonly network: string;
  readonly address: string;
  readonly isFloating: boolean;
}

/**
 * In the order of OpenStack's own controller: the fixed addresses of active ports, the access addresses, the host name in
 * the metadata, then what Nova and the trunks show, by the names of the networks.
 * https://github.com/kubernetes/cloud-provider-openstack/blob/c453fb7c9/pkg/openstack/instances_addresses.go
 */
export function addressesOf(server: NovaServer, ports: ServerPorts, rules: NetworkRules): readonly NodeAddress[] {
  const first: readonly NodeAddress[] = [
    ...activeAddresses(ports).map((address) => ({ type: 'InternalIP' as const, address })),
    ...present([server.accessIPv4, server.accessIPv6]).map((address) => ({ type: 'ExternalIP' as const, address })),
    ...hostnameOf(server),
  ];
  return networkAddresses(server, ports).reduce((addresses, each) => applyRules(addresses, each, rules), first);
}

function activeAddresses({ ports }: ServerPorts): readonly string[] {
  const active = ports.filter(({ status }) => status === 'ACTIVE');
  return active.flatMap((port) => port.fixed_ips.map((each) => each.ip_address));
}

function hostnameOf({ metadata }: NovaServer): readonly NodeAddress[] {
  const hostname = metadata?.['hostname'];
  return typeof hostname === 'string' && hostname !== '' ? [{ type: 'Hostname', address: hostname }] : [];
}

function networkAddresses({ addresses }: NovaServer, { subPorts }: ServerPorts): readonly NetworkAddress[] {
  const shown = Object.entries(addresses).flatMap(([network, each]) =>
    each.map(({ addr, 'OS-EXT-IPS:type': type }) => ({ network, address: addr, isFloating: type === 'floating' })),
  );
  const onTrunks = subPorts.flatMap(({ networkName, addresses: each }) =>
    each.map((address) => ({ network: networkName, address, isFloating: false })),
  );
  return [...shown, ...onTrunks].toSorted((a, b) => Buffer.compare(Buffer.from(a.network), Buffer.from(b.network)));
}

/** An address of a public network is no internal one, although it is that of a port. */
function applyRules(
  addresses: readonly NodeAddress[],
  { network, address, isFloating }: NetworkAddress,
  { publicNetworks, internalNetworks }: NetworkRules,
): readonly NodeAddress[] {
  if (isFloating) return withAddress(addresses, { type: 'ExternalIP', address });
  const others = addresses.filter((each) => each.address !== address);
  if (publicNetworks.includes(network)) return [...others, { type: 'ExternalIP', address }];
  const isInternal = internalNetworks.length === 0 || internalNetworks.includes(network);
  return isInternal ? withAddress(addresses, { type: 'InternalIP', address }) : others;
}

function withAddress(addresses: readonly NodeAddress[], added: NodeAddress): readonly NodeAddress[] {
  const isKnown = addresses.some(({ type, address }) => type === added.type && address === added.address);
  return isKnown ? addresses : [...addresses, added];
}

function present(texts: readonly (string | null | undefined)[]): readonly string[] {
  return texts.flatMap((text) => text || []);
}

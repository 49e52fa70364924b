import { isIP } from 'node:net';
import { sameAddress } from '../../lib/node/addresses.ts';
import type { Instance, NodeFacts } from '../cloud.ts';
import { formatProviderId, regionOfZone } from './provider-id.ts';
import type { InstancePlace } from './provider-id.ts';

/** What both the API and the instance's own metadata provide. */
export interface GcpInstanceDescription extends InstancePlace {
  /** The numeric id as text, as both spell it. */
  readonly instanceId: string;
  readonly machineType: string;
  readonly interfaces: readonly GcpNetworkInterface[];
}

/** Addresses are valid. */
export interface GcpNetworkInterface {
  /** Of each family at most one. */
  readonly internal: readonly string[];
  readonly external: readonly string[];
  /** Further ranges of the interface, e.g. `10.8.0.0/24`. */
  readonly aliasRanges: readonly string[];
}

/** The same from either source, so that the controller and an agent do not undo each other's changes. */
export function toInstance(described: GcpInstanceDescription, node: Pick<NodeFacts, 'nodeIps'>): Instance {
  const { zone, instanceId, machineType } = described;
  return {
    providerId: formatProviderId(described),
    instanceId,
    type: machineType,
    region: regionOfZone(zone),
    zone,
    addresses: addressesOf(described.interfaces, node),
    labels: {},
  };
}

/**
 * The same as in the vendor's controller: of each interface its own addresses, IPv4 before IPv6, and the public one.
 * Alias ranges are for pods, except a single address that the kubelet was configured with. There is no Hostname here,
 * so the Node keeps the kubelet's.
 */
function addressesOf(
  interfaces: readonly GcpNetworkInterface[],
  { nodeIps }: Pick<NodeFacts, 'nodeIps'>,
): Instance['addresses'] {
  const internal = interfaces.flatMap((each) => [...each.internal, ...chosenAliases(each, nodeIps)]);
  return [
    ...internal.toSorted((a, b) => isIP(a) - isIP(b)).map((address) => ({ type: 'InternalIP' as const, address })),
    ...interfaces.flatMap(({ external }) => external.map((address) => ({ type: 'ExternalIP' as const, address }))),
  ];
}

function chosenAliases({ aliasRanges }: GcpNetworkInterface, nodeIps: readonly string[]): readonly string[] {
  const single = aliasRanges.flatMap((range) => /^(?<address>[\d.]+)(?:\/32)?$/.exec(range)?.groups?.['address'] ?? []);
  return single.filter((address) => isIP(address) === 4 && nodeIps.some((nodeIp) => sameAddress(address, nodeIp)));
}

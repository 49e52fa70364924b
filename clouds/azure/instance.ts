import { wellKnown } from '../../schemas/keys.ts';
import { sameAddress } from '../../lib/node/addresses.ts';
import type { Instance, NodeFacts } from '../cloud.ts';
import { formatProviderId } from './provider-id.ts';
import type { MachineResource } from './provider-id.ts';

/** What both the Resource Manager and the machine's own metadata provide. */
export interface DescribedMachine {
  readonly resource: MachineResource;
  /** Given once to each virtual machine. Its kubelet reports it as the system's UUID. */
  readonly vmId: string;
  readonly size: string | undefined;
  readonly location: string;
  /** The number of the availability zone. */
  readonly zone: string | undefined;
  readonly faultDomain: string | undefined;
  /** The primary one first. */
  readonly interfaces: readonly MachineInterface[];
  readonly labels: Instance['labels'];
}

export interface MachineInterface {
  /** The primary one first. */
  readonly ipv4: readonly InterfaceAddress[];
  readonly ipv6: readonly InterfaceAddress[];
}

export interface InterfaceAddress {
  readonly privateIp: string;
  readonly publicIp: string | undefined;
}

export const vmIdPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** What the description of a machine depends on. */
type DescribedNode = Pick<NodeFacts, 'nodeIps'> & Partial<Pick<NodeFacts, 'labels'>>;

/** The same from either source, so that the controller and an agent do not undo each other's changes. */
export function toInstance(machine: DescribedMachine, node: DescribedNode): Instance {
  const { resource, vmId, size, location, labels } = machine;
  // Azure writes `West US` as well as `westus`.
  const region = location.toLowerCase().replaceAll(' ', '');
  const zone = zoneOf(machine, region, node);
  return {
    providerId: formatProviderId(resource),
    instanceId: vmId.toLowerCase(),
    ...(size !== undefined && { type: size }),
    region,
    ...(zone !== undefined && { zone }),
    addresses: addressesOf(machine.interfaces, node),
    labels,
  };
}

/**
 * Without a zone the fault domain alone, as Azure's own programs write it: 0 if it is not shown. Not each source shows
 * it, so a Node keeps the one that it has.
 */
function zoneOf({ zone, faultDomain }: DescribedMachine, region: string, node: DescribedNode): string | undefined {
  if (zone !== undefined) return `${region}-${zone}`;
  return faultDomain ?? (hasZone(node) ? undefined : '0');
}

export function hasZone({ labels }: Partial<Pick<NodeFacts, 'labels'>>): boolean {
  return wellKnown.zone.some((key) => labels?.[key] !== undefined);
}

type Address = Instance['addresses'][number];

/**
 * The first address of each family of one interface, IPv4 first, then what is public of these. There is no Hostname
 * here, so the Node keeps the kubelet's.
 */
function addressesOf(interfaces: readonly MachineInterface[], node: Pick<NodeFacts, 'nodeIps'>): readonly Address[] {
  const chosen = nodeAddresses(interfaces, node);
  const external = chosen.flatMap(({ publicIp }) => (publicIp === undefined ? [] : [publicIp]));
  return [
    ...chosen.map(({ privateIp }) => ({ type: 'InternalIP' as const, address: privateIp })),
    ...external.map((address) => ({ type: 'ExternalIP' as const, address })),
  ];
}

/**
 * The addresses that the kubelet was configured with come before others of their family, also those of a further
 * interface. The rest of an interface's addresses is for pods.
 */
export function nodeAddresses(
  interfaces: readonly MachineInterface[],
  { nodeIps }: Pick<NodeFacts, 'nodeIps'>,
): readonly InterfaceAddress[] {
  return (['ipv4', 'ipv6'] as const).flatMap((family) => {
    const all = interfaces.flatMap((each) => each[family]);
    const named = all.filter(({ privateIp }) => nodeIps.some((nodeIp) => sameAddress(privateIp, nodeIp)));
    return named.length > 0 ? named : (interfaces[0]?.[family].slice(0, 1) ?? []);
  });
}

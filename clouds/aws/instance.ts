import { isIP } from 'node:net';
import { sameAddress } from '../../lib/node/addresses.ts';
import type { IpFamily } from '../../schemas/config/aws.ts';
import { formatProviderId, regionOfZone } from './provider-id.ts';
import type { Instance, NodeFacts } from '../cloud.ts';

/** What a Node needs of an instance in DescribeInstances. */
export interface DescribedInstance {
  readonly instanceId: string;
  /** The account that owns it. */
  readonly ownerId: string;
  readonly state: string;
  readonly type: string | undefined;
  readonly zone: string | undefined;
  readonly zoneId: string | undefined;
  readonly privateDnsName: string | undefined;
  readonly publicDnsName: string | undefined;
  readonly publicIp: string | undefined;
  /** Attached and in use, in the order of their devices. */
  readonly interfaces: readonly NetworkInterface[];
}

export interface NetworkInterface {
  /** The primary one first. */
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
}

/** Device indexes start at 0 on each network card. */
const devicesPerCard = 1_000;

/** The order of interfaces, the smallest number first. One without a device is the last of its card. */
export function deviceOrder(cardIndex: string | undefined, deviceIndex: string | undefined): number {
  return Number(cardIndex ?? 0) * devicesPerCard + Number(deviceIndex ?? devicesPerCard - 1);
}

/** What both EC2 and the instance's own metadata provide. */
export type InstanceDescription = Omit<DescribedInstance, 'ownerId' | 'state'>;

const zoneIdLabel = 'topology.k8s.aws/zone-id';

/** The same from either source, so that the controller and an agent do not undo each other's changes. */
export function toInstance(
  described: InstanceDescription,
  node: Pick<NodeFacts, 'nodeIps'>,
  families: readonly IpFamily[],
): Instance {
  const { instanceId, type, zone, zoneId } = described;
  const region = zone === undefined ? undefined : regionOfZone(zone);
  return {
    providerId: formatProviderId(instanceId, zone),
    ...(type !== undefined && { type }),
    ...(region !== undefined && { region }),
    ...(zone !== undefined && { zone }),
    addresses: addressesOf(described, families, node),
    labels: zoneId === undefined ? {} : { [zoneIdLabel]: zoneId },
  };
}

type Address = Instance['addresses'][number];

/** The families of the configuration, or both for a kubelet whose --node-ip has an address of each. */
export function familiesOf(
  configured: readonly IpFamily[],
  { nodeIps }: Pick<NodeFacts, 'nodeIps'>,
): readonly IpFamily[] {
  const versions = new Set(nodeIps.map((nodeIp) => isIP(nodeIp)));
  if (!versions.has(4) || !versions.has(6)) return configured;
  return [...new Set<IpFamily>([...configured, 'ipv4', 'ipv6'])];
}

/**
 * The primary address of each interface. The others are for pods, except those that the kubelet was configured with
 * (`nodeIps`).
 */
export function addressesOf(
  {
    interfaces,
    publicIp,
    privateDnsName,
    publicDnsName,
  }: Pick<DescribedInstance, 'interfaces' | 'publicIp' | 'privateDnsName' | 'publicDnsName'>,
  families: readonly IpFamily[],
  { nodeIps }: Pick<NodeFacts, 'nodeIps'>,
): readonly Address[] {
  const internal = families.flatMap((family) => interfaces.flatMap((each) => ofFamily(each[family], nodeIps)));
  return [
    ...internal.map((address) => ({ type: 'InternalIP' as const, address })),
    ...(families.includes('ipv4') ? named('ExternalIP', publicIp) : []),
    ...named('InternalDNS', privateDnsName),
    ...named('Hostname', privateDnsName),
    ...named('ExternalDNS', publicDnsName),
  ];
}

function ofFamily(addresses: NetworkInterface[IpFamily], nodeIps: readonly string[]): readonly string[] {
  return addresses.filter((address, index) => index === 0 || nodeIps.some((nodeIp) => sameAddress(address, nodeIp)));
}

function named(type: Address['type'], address: string | undefined): readonly Address[] {
  return address === undefined ? [] : [{ type, address }];
}

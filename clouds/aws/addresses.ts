import { isIP } from 'node:net';
import { sameAddress } from '../../lib/node/addresses.ts';
import type { Instance, NodeFacts } from '../cloud.ts';
import type { IpFamily } from './config.ts';
import type { DescribedInstance, NetworkInterface } from './described-instance.ts';

type Address = Instance['addresses'][number];

/** Those of the configuration. A kubelet that names an address of each family gets both, whatever the configuration says. */
export function familiesOf(
  configured: readonly IpFamily[],
  { nodeIps }: Pick<NodeFacts, 'nodeIps'>,
): readonly IpFamily[] {
  const versions = new Set(nodeIps.map((nodeIp) => isIP(nodeIp)));
  if (!versions.has(4) || !versions.has(6)) return configured;
  return [...new Set<IpFamily>([...configured, 'ipv4', 'ipv6'])];
}

/**
 * The primary address of each interface, and no other: further ones are given to pods. Only one that the kubelet was
 * told to use (`nodeIps`) is the node's as well.
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

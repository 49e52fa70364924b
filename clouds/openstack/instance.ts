import { BlockList, isIP } from 'node:net';
import type { Instance } from '../cloud.ts';
import type { OpenstackConfig } from '../../schemas/config/openstack.ts';
import { keys } from '../../schemas/keys.ts';
import type { NodeAddress } from '../../schemas/kubernetes.ts';
import { formatProviderId } from './provider-id.ts';

/** What both Nova's API and the server's own metadata provide. */
export interface OpenstackInstanceDescription {
  readonly serverId: string;
  readonly projectId: string | undefined;
  readonly flavorName: string | undefined;
  readonly availabilityZone: string | undefined;
  /** In the order of OpenStack's own controller, before `addressSortOrder`. */
  readonly addresses: readonly NodeAddress[];
}

export type AddressConfig = Pick<OpenstackConfig, 'addressSortOrder' | 'ipv6'>;
export type InstanceConfig = AddressConfig & Pick<OpenstackConfig, 'regionInProviderId'>;

/** The same from either source, so that the controller and an agent do not undo each other's changes. */
export function toInstance(
  { serverId, projectId, flavorName, availabilityZone, addresses }: OpenstackInstanceDescription,
  region: string | undefined,
  config: InstanceConfig,
): Instance {
  const [type, zone] = [labelValue(flavorName), labelValue(availabilityZone)];
  return {
    providerId: formatProviderId({ region: config.regionInProviderId ? (region ?? '') : '', serverId }),
    ...(type !== undefined && { type }),
    ...(region !== undefined && region !== '' && { region }),
    ...(zone !== undefined && { zone }),
    addresses: sorted(
      addresses.filter(({ address }) => config.ipv6 || isIP(address) !== 6),
      config.addressSortOrder,
    ),
    labels: projectId === undefined ? {} : { [keys.openstackProject]: projectId },
  };
}

/** Names of flavors and zones may have spaces, among others. `undefined`: nothing is left of it. */
function labelValue(text: string | undefined): string | undefined {
  const allowed = text?.replaceAll(/[^\w.-]+/g, '-').replaceAll(/^[-_.]+/g, '');
  return allowed?.slice(0, 63).replaceAll(/[-_.]+$/g, '') || undefined;
}

/** Addresses in the first range come first, in each range by their number; the others stay in their order. */
function sorted(addresses: readonly NodeAddress[], ranges: readonly string[]): readonly NodeAddress[] {
  if (ranges.length === 0) return addresses;
  const lists = ranges.map(blockList);
  const rankOf = ({ address }: NodeAddress): number => {
    const rank = lists.findIndex((list) => isIP(address) !== 0 && list.check(address, familyOf(address)));
    return rank === -1 ? lists.length : rank;
  };
  return addresses.toSorted((a, b) => {
    const [rankA, rankB] = [rankOf(a), rankOf(b)];
    return rankA === rankB && rankA < lists.length ? compareAddresses(a.address, b.address) : rankA - rankB;
  });
}

function blockList(range: string): BlockList {
  const [address = '', bits] = range.split('/');
  const list = new BlockList();
  list.addSubnet(address, Number(bits), familyOf(address));
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** By the bytes of both. An IPv4 address is before every IPv6 address of the same range, of which there are none. */
function compareAddresses(a: string, b: string): number {
  const [first, second] = [addressNumber(a), addressNumber(b)];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

function addressNumber(address: string): bigint {
  if (isIP(address) === 4) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [head = [], tail = []] = groups.map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

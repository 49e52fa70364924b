import { BlockList, isIP } from 'node:net';
import type { NodeAddress } from '../../schemas/kubernetes.ts';
import type { VsphereConfig, VsphereIpFamily } from '../../schemas/config/vsphere.ts';
import type { GuestNic } from './vm.ts';

type AddressConfig = Pick<VsphereConfig, 'addresses' | 'ipFamilies'>;
type AddressRules = VsphereConfig['addresses'];

interface Candidate {
  readonly address: string;
  readonly network: string;
}

/** What decides about the addresses of a virtual machine. */
export interface AddressSource {
  readonly hostName: string;
  readonly nics: readonly GuestNic[];
  /** Those that cloud-init sets by hand come first, in this order. */
  readonly staticAddresses: readonly string[];
}

/**
 * For each address family an internal and an external address, by the first of these rules that finds one of the two: the
 * networks of the configuration, the names of port groups, and otherwise the first address as both. `undefined`: a
 * family has no address. The rules and their order are those of vCenter's own controller:
 * https://github.com/kubernetes/cloud-provider-vsphere/blob/60f6c5dfe164/pkg/cloudprovider/vsphere/nodemanager.go
 */
export function selectAddresses(
  source: AddressSource,
  { addresses: rules, ipFamilies }: AddressConfig,
): readonly NodeAddress[] | undefined {
  const candidates = staticFirst(candidatesOf(source.nics), source.staticAddresses);
  const selected = ipFamilies.map((family) => selectOf(family, candidates, rules));
  if (selected.some((each) => each.length === 0)) return undefined;
  const hostName = source.hostName === '' ? [] : [{ type: 'Hostname' as const, address: source.hostName }];
  return [...hostName, ...selected.flat()];
}

/** With one candidate in each family, nothing has to be known about their order. */
export function needsOrder(nics: readonly GuestNic[]): boolean {
  const families = candidatesOf(nics).map(({ address }) => familyOf(address));
  return new Set(families).size < families.length;
}

function candidatesOf(nics: readonly GuestNic[]): readonly Candidate[] {
  return nics
    .filter(({ isVirtualCard }) => isVirtualCard)
    .flatMap(({ network, addresses }) => addresses.map((address) => ({ address, network })))
    .filter(({ address }) => isIP(address) !== 0 && !localOnly.check(address, familyOf(address)));
}

function staticFirst(candidates: readonly Candidate[], staticAddresses: readonly string[]): readonly Candidate[] {
  const canonical = staticAddresses.map(canonicalAddress);
  const rank = ({ address }: Candidate): number => {
    const index = canonical.indexOf(canonicalAddress(address));
    return index === -1 ? canonical.length : index;
  };
  return candidates.toSorted((a, b) => rank(a) - rank(b));
}

function selectOf(
  family: VsphereIpFamily,
  candidates: readonly Candidate[],
  rules: AddressRules,
): readonly NodeAddress[] {
  const ofFamily = candidates.filter(({ address }) => familyOf(address) === family);
  const internals = without(ofFamily, rules.excludedFromInternal);
  const externals = without(ofFamily, rules.excludedFromExternal);
  const internal = inNetworks(internals, rules.internalNetworks) ?? named(internals, rules.internalNetworkName);
  const external = inNetworks(externals, rules.externalNetworks) ?? named(externals, rules.externalNetworkName);
  const isNeither = internal === undefined && external === undefined;
  return [
    ...addressOf('InternalIP', isNeither ? internals[0] : internal),
    ...addressOf('ExternalIP', isNeither ? externals[0] : external),
  ];
}

function addressOf(type: NodeAddress['type'], candidate: Candidate | undefined): readonly NodeAddress[] {
  return candidate === undefined ? [] : [{ type, address: candidate.address }];
}

function without(candidates: readonly Candidate[], networks: readonly string[]): readonly Candidate[] {
  const excluded = networkList(networks);
  return candidates.filter(({ address }) => !excluded.check(address, familyOf(address)));
}

/** The first network that has an address decides. */
function inNetworks(candidates: readonly Candidate[], networks: readonly string[]): Candidate | undefined {
  return networks.flatMap((network) => {
    const list = networkList([network]);
    return candidates.find(({ address }) => list.check(address, familyOf(address))) ?? [];
  })[0];
}

function named(candidates: readonly Candidate[], name: string | undefined): Candidate | undefined {
  const wanted = name?.toLowerCase();
  return wanted === undefined ? undefined : candidates.find(({ network }) => network.toLowerCase() === wanted);
}

/** Loopback, link-local and unspecified addresses. */
const localOnly = networkList(['0.0.0.0/32', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/24']);
for (const network of ['::/128', '::1/128', 'fe80::/10', 'ff02::/16']) addTo(localOnly, network);

function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) addTo(list, network);
  return list;
}

function addTo(list: BlockList, network: string): void {
  const [address = '', bits = ''] = network.split('/');
  list.addSubnet(address, Number(bits), familyOf(address));
}

function familyOf(address: string): VsphereIpFamily {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** One IPv6 address has many spellings. */
function canonicalAddress(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname : address;
}

import { isIP } from 'node:net';
import type { NodeAddress } from '../../../schemas/kubernetes.ts';
import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import type { OpenstackInstanceDescription } from '../instance.ts';
import { serverIdPattern } from '../provider-id.ts';
import { MetaData, NetworkData } from './documents.ts';
import type { OpenstackMetadataTexts } from './documents.ts';
import type { OwnAddresses } from './own-addresses.ts';

/**
 * Pure. A value that does not match its pattern is an error, and nothing of it reaches a Node. The addresses are in the
 * order in which the API shows them: Neutron sorts ports by id, and the addresses of each as texts.
 * https://github.com/openstack/neutron/blob/master/neutron/db/models_v2.py (`Port.fixed_ips`)
 */
export function parseMetadata(texts: OpenstackMetadataTexts, own: OwnAddresses): OpenstackInstanceDescription {
  const metaData = MetaData.safeParse(parseJson(texts.metaData ?? ''));
  if (!metaData.success) throw invalidValue('meta_data.json', texts.metaData);
  const { uuid, availability_zone: zone, project_id: projectId, meta } = metaData.data;
  if (!serverIdPattern.test(uuid)) throw invalidValue('id of the server', uuid);
  const internal = internalAddresses(parseNetworkData(texts.networkData), localAddress(texts.localIpv4), own);
  // A Node without an address must not be initialised.
  if (internal.length === 0) throw invalidValue('addresses of the server', undefined);
  return {
    serverId: uuid,
    projectId: projectId ?? undefined,
    flavorName: texts.type,
    availabilityZone: zone ?? undefined,
    addresses: [
      ...internal.map((address) => ({ type: 'InternalIP' as const, address })),
      ...named('Hostname', meta?.['hostname']),
      ...named('ExternalIP', texts.publicIpv4 && checked('public address', texts.publicIpv4)),
    ],
  };
}

/** Whose document this is. Others that have one add values of their own. `undefined`: it is no such document. */
export function ownerOf(metaData: string): 'nova' | 'another cloud' | undefined {
  const parsed = MetaData.safeParse(parseJson(metaData));
  if (!parsed.success) return undefined;
  return serverIdPattern.test(parsed.data.uuid) && parsed.data.region_id === undefined ? 'nova' : 'another cloud';
}

function parseNetworkData(text: string | undefined): NetworkData {
  if (text === undefined) return { links: [], networks: [] };
  const parsed = NetworkData.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw invalidValue('network_data.json', text);
}

/** For a server without an IPv4 address Nova repeats the address that asked, which may be of IPv6. */
function localAddress(text: string | undefined): string | undefined {
  return text && isIP(text) !== 6 ? checked('local address', text) : undefined;
}

type Network = NetworkData['networks'][number];

/**
 * Nova leaves out an address that its server gets by DHCP. The first one of IPv4 is the local address, the others are
 * those that the interfaces have.
 */
function internalAddresses(
  { links, networks }: NetworkData,
  local: string | undefined,
  own: OwnAddresses,
): readonly string[] {
  const byDhcp = networks.filter(({ type, ip_address: ip }) => type === 'ipv4_dhcp' && !ip);
  const hasLocal = local === undefined || networks.some(({ ip_address: ip }) => ip === local);
  const addressOf = (network: Network, mac: string): string | undefined => {
    if (network.ip_address) return checked('addresses of an interface', network.ip_address);
    if (!hasLocal && network === byDhcp[0]) return local;
    return byDhcp.includes(network) ? own.get(mac.toLowerCase())?.[0] : undefined;
  };
  const addresses = links
    .toSorted((a, b) => compareTexts(a.vif_id ?? '', b.vif_id ?? ''))
    .flatMap(({ id, ethernet_mac_address: mac }) =>
      networks
        .filter(({ link }) => link === id)
        .flatMap((network) => addressOf(network, mac ?? '') ?? [])
        .toSorted(compareTexts),
    );
  return !hasLocal && byDhcp.length === 0 ? [local, ...addresses] : addresses;
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function named(type: NodeAddress['type'], address: string | undefined): readonly NodeAddress[] {
  return address ? [{ type, address }] : [];
}

function checked(what: string, text: string): string {
  if (isIP(text) !== 0) return text;
  throw invalidValue(what, text);
}

function invalidValue(what: string, text: string | undefined): Failure {
  const problem = text === undefined ? 'does not have' : 'has an invalid value for';
  return new Failure('invalid-response', `the metadata of OpenStack ${problem} the ${what}`, {
    remedy: 'check that nothing else answers in its place; a server without ports has no addresses',
  });
}

import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import { listWith } from '../neutron.ts';
import type { NeutronCollection } from '../neutron.ts';
import { nextMarker } from '../pages.ts';
import { RoutedPortResponse, RoutedPortsPage } from '../schemas.ts';
import type { RoutedPort } from '../schemas.ts';
import type { OpenstackSession } from '../session.ts';

const routedPorts: NeutronCollection<RoutedPort> = {
  path: '/v2.0/ports',
  action: 'get_port',
  fields: [
    'id',
    'network_id',
    'mac_address',
    'fixed_ips',
    'port_security_enabled',
    'allowed_address_pairs',
    'revision_number',
  ],
  parse: (json) => {
    const page = RoutedPortsPage.safeParse(json);
    return page.success ? { items: page.data.ports, next: nextMarker(page.data.ports_links) } : undefined;
  },
};

/** By their addresses: the ports in the networks of the router. Other networks may have the same addresses. */
export async function portsOfNextHops(
  { routerId, nextHops }: { readonly routerId: string; readonly nextHops: readonly string[] },
  session: OpenstackSession,
  context: Context,
): Promise<Map<string, RoutedPort>> {
  const ofRouter = await listWith({ key: 'device_id', values: [routerId] }, routedPorts, session, context);
  const networks = new Set(ofRouter.map(({ network_id: id }) => id));
  const values = [...new Set(nextHops)].map((address) => `ip_address=${address}`);
  const found = await listWith({ key: 'fixed_ips', values }, routedPorts, session, context);
  const inNetworks = found.filter(({ network_id: id }) => networks.has(id));
  return new Map(
    inNetworks.flatMap((port) => port.fixed_ips.map(({ ip_address: address }) => [address, port] as const)),
  );
}

export interface PairChange {
  readonly change: 'add' | 'remove';
  readonly podCidrs: readonly string[];
}

/**
 * Lets the port send packets from pod CIDRs, or no longer. All other pairs stay: the change is only for the revision
 * that was read. The result is the port afterwards. https://docs.openstack.org/api-ref/network/v2/#revisions
 */
export async function changeAddressPairs(
  { change, podCidrs }: PairChange,
  port: RoutedPort,
  session: OpenstackSession,
  context: Context,
): Promise<RoutedPort> {
  const wanted = pairsAfter({ change, podCidrs }, port);
  if (wanted === undefined) return port;
  const { id, revision_number: revision } = port;
  const response = await session.send(
    {
      service: 'network',
      method: 'PUT',
      path: `/v2.0/ports/${id}`,
      body: { port: { allowed_address_pairs: wanted } },
      action: 'update_port:allowed_address_pairs',
      role: 'member',
      ...(revision !== undefined && { ifMatch: `revision_number=${revision}` }),
    },
    context,
  );
  // A port that is gone has no pairs.
  if (response.is === 'missing' && change === 'remove') return port;
  if (response.is === 'missing') throw response.failure;
  const parsed = RoutedPortResponse.safeParse(response.json);
  return parsed.success ? parsed.data.port : port;
}

/** Does the port drop packets from this pod CIDR? Pure. */
export function lacksAddressPair(port: RoutedPort, podCidr: string): boolean {
  return pairsAfter({ change: 'add', podCidrs: [podCidr] }, port) !== undefined;
}

/** `undefined`: nothing is to be changed. Pure. */
function pairsAfter({ change, podCidrs }: PairChange, port: RoutedPort): RoutedPort['allowed_address_pairs'] {
  const { allowed_address_pairs: pairs, port_security_enabled: isSecured, mac_address: ownMac } = port;
  // A port without security sends any packet, and Neutron refuses pairs for it.
  if (pairs === undefined || isSecured === false) return undefined;
  const isOwn = (pair: (typeof pairs)[number]): boolean => (pair.mac_address ?? ownMac) === ownMac;
  const own = pairs.filter((pair) => isOwn(pair) && podCidrs.includes(pair.ip_address));
  if (change === 'remove') return own.length === 0 ? undefined : pairs.filter((pair) => !own.includes(pair));
  const missing = podCidrs.filter((podCidr) => !own.some((pair) => pair.ip_address === podCidr));
  return missing.length === 0 ? undefined : [...pairs, ...missing.map((podCidr) => ({ ip_address: podCidr }))];
}

export function noPort(nextHops: readonly string[]): Failure {
  return new Failure(
    'not-found',
    `Neutron shows no port with the address ${nextHops.join(' or ')} in the networks of the router`,
    {
      remedy:
        "check routerId in the configuration, the InternalIP of the Node, and that its port is in the router's network",
    },
  );
}

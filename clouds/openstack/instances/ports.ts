import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import { listWith, networks, ports } from '../neutron.ts';
import type { NeutronPort } from '../schemas.ts';
import type { OpenstackSession } from '../session.ts';

/** The ports of a server, and of its trunks. */
export interface ServerPorts {
  readonly ports: readonly NeutronPort[];
  readonly subPorts: readonly SubPort[];
}

/** On a VLAN of a trunk. */
export interface SubPort {
  readonly networkName: string;
  readonly addresses: readonly string[];
}

/** By the servers' ids. Throws a `Failure` if not all could be read. */
export async function portsOfServers(
  serverIds: readonly string[],
  session: OpenstackSession,
  context: Context,
): Promise<ReadonlyMap<string, ServerPorts>> {
  const all = await listWith({ key: 'device_id', values: serverIds }, ports, session, context);
  const subPorts = await readSubPorts(all.flatMap(subPortIdsOf), session, context);
  const byServer = Map.groupBy(all, (port) => port.device_id);
  return new Map(
    serverIds.map((id) => {
      const own = byServer.get(id) ?? [];
      const ids = own.flatMap(subPortIdsOf);
      return [id, { ports: own, subPorts: ids.map((subPortId) => subPorts.get(subPortId) ?? failHidden()) }];
    }),
  );
}

function subPortIdsOf({ trunk_details: trunk }: NeutronPort): readonly string[] {
  return trunk?.sub_ports.map((each) => each.port_id) ?? [];
}

async function readSubPorts(
  ids: readonly string[],
  session: OpenstackSession,
  context: Context,
): Promise<ReadonlyMap<string, SubPort>> {
  if (ids.length === 0) return new Map();
  const found = await listWith({ key: 'id', values: ids }, ports, session, context);
  const networkIds = [...new Set(found.map((port) => port.network_id))];
  const named = await listWith({ key: 'id', values: networkIds }, networks, session, context);
  const names = new Map(named.map(({ id, name }) => [id, name]));
  return new Map(
    found.map((port) => {
      const networkName = names.get(port.network_id) ?? failHidden();
      return [port.id, { networkName, addresses: port.fixed_ips.map((each) => each.ip_address) }];
    }),
  );
}

function failHidden(): never {
  throw new Failure('denied', 'Neutron does not show all sub-ports of the trunks, or their networks', {
    remedy: 'let the credentials be those of the project that owns the ports',
  });
}

import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import type { Admin } from './admin.ts';

export interface Network {
  readonly id: string;
  readonly name: string;
  readonly subnetIds: readonly string[];
}

export interface Port {
  readonly id: string;
  readonly addresses: readonly string[];
}

export interface NetworkSpec {
  readonly projectId: string;
  readonly name: string;
  /** Of IPv4 or IPv6. */
  readonly cidrs: readonly string[];
  readonly isExternal: boolean;
}

export async function createNetwork(admin: Admin, spec: NetworkSpec): Promise<Network> {
  const network = { name: spec.name, project_id: spec.projectId, 'router:external': spec.isExternal };
  const { id } = await create<'network'>(admin, '/networks', { network });
  const subnetIds: string[] = [];
  for (const cidr of spec.cidrs) {
    const family = { cidr, ip_version: cidr.includes(':') ? 6 : 4, enable_dhcp: false };
    const subnet = { network_id: id, project_id: spec.projectId, ...family };
    subnetIds.push((await create<'subnet'>(admin, '/subnets', { subnet })).id);
  }
  return { id, name: spec.name, subnetIds };
}

/** From an internal network to an external one, which floating IPs need. */
export async function createRouter(admin: Admin, projectId: string, from: Network, to: Network): Promise<string> {
  const router = { name: 'router', project_id: projectId, external_gateway_info: { network_id: to.id } };
  const { id } = await create<'router'>(admin, '/routers', { router });
  for (const subnet_id of from.subnetIds) {
    const path = `/v2.0/routers/${id}/add_router_interface`;
    await admin.call('neutron', { method: 'PUT', path, body: { subnet_id } });
  }
  return id;
}

export interface PortSpec {
  readonly projectId: string;
  /** Of the server that has the port. */
  readonly deviceId: string;
}

/** No agent reports that they are wired, so their status is written to Neutron's database. */
export async function createPorts(
  { admin, directory }: { readonly admin: Admin; readonly directory: string },
  network: Network,
  specs: readonly PortSpec[],
): Promise<readonly Port[]> {
  const ports = specs.map(({ projectId, deviceId }) => ({
    network_id: network.id,
    project_id: projectId,
    device_id: deviceId,
    device_owner: 'compute:nova',
  }));
  const request = { method: 'POST', path: '/v2.0/ports', body: { ports } } as const;
  const created = await admin.call<{ ports: readonly CreatedPort[] }>('neutron', request);
  const ids = created.ports.map(({ id }) => id);
  setPortStatus(directory, ids, 'ACTIVE');
  return created.ports.map(({ id, fixed_ips }) => ({ id, addresses: fixed_ips.map(({ ip_address }) => ip_address) }));
}

interface CreatedPort {
  readonly id: string;
  readonly fixed_ips: readonly { readonly ip_address: string }[];
}

function setPortStatus(directory: string, portIds: readonly string[], status: 'ACTIVE'): void {
  const database = new DatabaseSync(join(directory, 'db/neutron.sqlite'), { timeout: lockTimeoutMs });
  try {
    const update = database.prepare('UPDATE ports SET status = ? WHERE id = ?');
    for (const id of portIds) update.run(status, id);
  } finally {
    database.close();
  }
}

const lockTimeoutMs = 20_000;

/** Its address. */
export async function createFloatingIp(
  admin: Admin,
  { projectId, network, port }: { readonly projectId: string; readonly network: Network; readonly port: Port },
): Promise<string> {
  const floatingip = { floating_network_id: network.id, port_id: port.id, project_id: projectId };
  const created = await create<'floatingip'>(admin, '/floatingips', { floatingip });
  return String(created['floating_ip_address']);
}

async function create<Kind extends string>(admin: Admin, path: string, body: Record<Kind, unknown>): Promise<Created> {
  const request = { method: 'POST', path: `/v2.0${path}`, body } as const;
  const created = await admin.call<Record<Kind, Created>>('neutron', request);
  return Object.values<Created>(created)[0] as Created;
}

type Created = { readonly id: string } & Readonly<Record<string, unknown>>;

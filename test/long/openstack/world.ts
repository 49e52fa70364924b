import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import { createApplicationCredential, createProject, createUser } from '../../lab/openstack/identity.ts';
import type { ApplicationCredential, Project, ProjectUser } from '../../lab/openstack/identity.ts';
import { createFloatingIp, createNetwork, createPorts, createRouter } from '../../lab/openstack/networks.ts';
import type { Network, Port } from '../../lab/openstack/networks.ts';
import type { ServerSpec } from '../../lab/openstack/servers.ts';
import { startOpenStack } from '../../lab/openstack/start.ts';
import type { OpenStack } from '../../lab/openstack/start.ts';

/** One OpenStack with a project for a cluster, for all tests of a file. */
export interface OpenStackWorld {
  readonly cloud: OpenStack;
  readonly cluster: Tenant;
  readonly publicNetwork: Network;
}

/** A project with a network, and an application credential that may only read. */
export interface Tenant {
  readonly project: Project;
  readonly user: ProjectUser;
  readonly reader: ApplicationCredential;
  readonly network: Network;
  readonly routerId: string;
}

export interface Machine {
  readonly id: string;
  readonly name: string;
  readonly port: Port;
  readonly floatingIp?: string;
}

export type MachineSpec = Partial<Omit<ServerSpec, 'projectId' | 'id'>> & { readonly withFloatingIp?: boolean };

/** Ends with the test. If that failed, the logs stay. */
export async function openStackFor(t: Test): Promise<OpenStackWorld> {
  const cloud = await startOpenStack({ tokenSeconds: 3600 });
  t.teardown(async () => {
    if (t.passing()) return cloud.stop();
    await cloud.stopAndKeepLogs();
    process.stderr.write(`${t.fullname} failed: OpenStack's logs are in ${cloud.logDirectory}\n`);
  });
  const publicSpec = { name: 'public', cidrs: ['203.0.113.0/24'], isExternal: true };
  const { id: projectId } = await createProject(cloud.admin, 'operator');
  const publicNetwork = await createNetwork(cloud.admin, { ...publicSpec, projectId });
  return { cloud, publicNetwork, cluster: await addTenant(cloud, publicNetwork, 'cluster') };
}

async function addTenant({ admin, directory }: OpenStack, outside: Network, name: string): Promise<Tenant> {
  const project = await createProject(admin, name);
  const user = await createUser(admin, project, ['member', 'reader']);
  const reader = await createApplicationCredential(directory, user, ['reader']);
  const spec = { projectId: project.id, name: 'nodes', cidrs: ['10.0.0.0/16'], isExternal: false };
  const network = await createNetwork(admin, spec);
  return { project, user, reader, network, routerId: await createRouter(admin, project.id, network, outside) };
}

/** A server with a port. */
export async function addMachine(world: OpenStackWorld, tenant: Tenant, spec: MachineSpec): Promise<Machine> {
  const { cloud, publicNetwork } = world;
  const { withFloatingIp = false, name = `node-${randomUUID().slice(0, 8)}`, ...rest } = spec;
  const projectId = tenant.project.id;
  const id = randomUUID();
  const [port] = (await createPorts(cloud, tenant.network, [{ projectId, deviceId: id }])) as [Port];
  const floating = { projectId, network: publicNetwork, port };
  const floatingIp = withFloatingIp ? await createFloatingIp(cloud.admin, floating) : undefined;
  await cloud.servers.create({ id, projectId, name, flavor: 'm1.small', zone: 'zone-1', ...rest });
  return { id, name, port, ...(floatingIp !== undefined && { floatingIp }) };
}

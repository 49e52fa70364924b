import type { Admin } from './admin.ts';
import { addUser, createProject, roleIds } from './identity.ts';
import { internalUrls, servicePassword } from './settings.ts';

/** Public addresses, by service. */
export type PublicUrls = Readonly<Record<'keystone' | 'nova' | 'neutron', string>>;

/** The users of the services, and who finds which service where. */
export async function fillCatalog(admin: Admin, urls: PublicUrls): Promise<void> {
  const project = await createProject(admin, 'service');
  const roles = await roleIds(admin);
  for (const name of ['nova', 'neutron']) {
    const user = { name, password: servicePassword, projectId: project.id };
    await addUser(admin, { ...user, roleIds: [roles('service'), roles('admin')] });
  }
  await addService(admin, { type: 'compute', internal: internalUrls.nova, public: urls.nova });
  await addService(admin, { type: 'network', internal: internalUrls.neutron, public: urls.neutron });
  await moveKeystone(admin, urls.keystone);
}

interface CatalogEntry {
  readonly type: string;
  readonly internal: string;
  readonly public: string;
}

async function addService(admin: Admin, entry: CatalogEntry): Promise<void> {
  const service = { type: entry.type, name: entry.type };
  const added = await admin.call<{ service: { id: string } }>('keystone', {
    method: 'POST',
    path: '/v3/services',
    body: { service },
  });
  for (const name of ['internal', 'public'] as const) {
    const endpoint = { service_id: added.service.id, interface: name, url: entry[name], region_id: 'RegionOne' };
    await admin.call('keystone', { method: 'POST', path: '/v3/endpoints', body: { endpoint } });
  }
}

async function moveKeystone(admin: Admin, url: string): Promise<void> {
  const path = '/v3/endpoints?interface=public';
  const listed = await admin.call<{ endpoints: { id: string; url: string }[] }>('keystone', { method: 'GET', path });
  const keystone = listed.endpoints.find((each) => each.url === internalUrls.keystone);
  if (keystone === undefined) throw new Error('Keystone has no public endpoint of its own');
  const body = { endpoint: { url } };
  await admin.call('keystone', { method: 'PATCH', path: `/v3/endpoints/${keystone.id}`, body });
}

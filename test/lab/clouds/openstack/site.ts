import type { Site, SiteService } from '../site.ts';

/** OpenStack at the names of its catalog, each service on one address as behind a load balancer. */
export function openstackSite(): Site<'openstack'> {
  const api = (service: string, last: number): SiteService => ({
    service,
    addresses: { 4: `10.205.0.${String(last)}`, 6: `fd00:205::${String(last)}` },
    tls: true,
    ownMachinesOnly: false,
    hosts: [{ name: `${service}.cloud.example`, ipVersions: [6, 4] }],
  });
  return { cloud: 'openstack', services: [api('keystone', 1), api('nova', 2), api('neutron', 3)] };
}

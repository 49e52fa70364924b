import type { Test } from 'tap';
import { createRoutes } from '../../../../clouds/openstack/routes/index.ts';
import type { LookupContext, Routes } from '../../../../clouds/cloud.ts';
import type { OpenstackConfig } from '../../../../schemas/config/openstack.ts';
import { serverFleetOf } from '../../../lab/clouds/openstack/server.ts';
import type { LabPort, LabServer } from '../../../lab/clouds/openstack/server.ts';
import { labCredentialId, labProjectId } from '../../../lab/clouds/openstack/state.ts';
import { fakeHost } from '../../fake-host.ts';
import type { RoutedFacts } from '../../route-conformance.ts';
import { nodeOf, openstackConfig, startOpenstackLab } from '../openstack-lab.ts';
import type { OpenstackLab } from '../openstack-lab.ts';

export const routerId = '3b8a5e0c-6f0d-4f5c-9f0e-2a1b3c4d5e6f';
export const strangerRoute = { destination: '10.244.200.0/24', nexthop: '10.0.9.9' };

export interface NeutronRouteLab extends OpenstackLab {
  readonly servers: readonly [LabServer, LabServer];
  open(config?: Partial<OpenstackConfig>): Promise<{ routes: Routes; context: LookupContext }>;
  portOf(server: LabServer): Promise<LabPort>;
  changePort(server: LabServer, change: Partial<LabPort>): Promise<void>;
}

export async function startNeutronRouteLab(t: Test): Promise<NeutronRouteLab> {
  const openstack = await startOpenstackLab(t);
  const { lab, env } = openstack;
  const fleet = serverFleetOf({ count: 2, projectId: labProjectId, number: 0 });
  const servers = Object.values(fleet.servers) as [LabServer, LabServer];
  const [networkId = ''] = Object.keys(fleet.networks);
  const interfacePort: LabPort = {
    id: 'e0000000-0000-4000-8000-000000000001',
    projectId: labProjectId,
    deviceId: routerId,
    networkId,
    status: 'ACTIVE',
    addresses: ['10.0.255.1'],
  };
  const portOf = async ({ id }: LabServer): Promise<LabPort> => {
    const port = Object.values((await lab.state()).ports).find(({ deviceId }) => deviceId === id);
    if (port === undefined) throw new Error(`the server ${id} has a port`);
    return port;
  };
  return {
    ...openstack,
    servers,
    portOf,
    changePort: async (server, change) => {
      const port = await portOf(server);
      await lab.update({ ports: { [port.id]: { ...port, ...change } } });
    },
    open: async (given) => {
      const config = given ?? { routerId };
      await openstack.reset();
      const credential = (await lab.state()).applicationCredentials[labCredentialId];
      if (credential === undefined) throw new Error('the lab has changed');
      await lab.update({
        ...fleet,
        ports: { ...fleet.ports, [interfacePort.id]: interfacePort },
        routers: { [routerId]: { projectId: labProjectId, routes: [strangerRoute] } },
        applicationCredentials: { [labCredentialId]: { ...credential, roles: ['reader', 'member'] } },
      });
      const routes = createRoutes({ env, host: fakeHost({}), config: { ...openstackConfig, ...config } });
      if (routes === undefined) throw new Error('no router is configured');
      return { routes, context: openstack.context() };
    },
  };
}

export function routedFacts(server: LabServer): RoutedFacts {
  return { facts: nodeOf(server), addresses: [{ type: 'InternalIP', address: addressOf(server) }] };
}

export function addressOf({ addresses }: LabServer): string {
  const [first] = Object.values(addresses).flat();
  if (first === undefined) throw new Error('the server has an address');
  return first.address;
}

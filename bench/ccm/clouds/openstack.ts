import { serverFleetOf } from '../../../test/lab/clouds/openstack/server.ts';
import { labProjectId } from '../../../test/lab/clouds/openstack/state.ts';
import type { RecordedRequest } from '../../../test/lab/clouds/request-log.ts';
import { startLoopbackClouds } from '../../../test/lab/loopback-clouds.ts';
import type { StartBenchCloud } from './cloud.ts';

export const startOpenstack: StartBenchCloud = async (directory) => {
  const { clouds, env, stop } = await startLoopbackClouds(['openstack'], directory);
  const { openstack } = clouds;
  return {
    name: 'openstack',
    env,
    limits: { initialisedS: 15, cloudCalls: 10 },
    launchFleet: async (count, number) => {
      const fleet = serverFleetOf({ count, number, projectId: labProjectId });
      await openstack.reset();
      await openstack.update(fleet);
      return Object.values(fleet.servers).map(({ id, name }) => ({
        name,
        providerId: `openstack:///${id}`,
        systemUuid: id,
      }));
    },
    setLatency: async (delayMs) => {
      for (const service of ['nova', 'neutron']) await openstack.addFault({ kind: 'delay', service, delayMs });
    },
    requests: openstack.requests,
    operationOf: openstackOperation,
    stop,
  };
};

export function openstackOperation({
  service,
  method,
  path,
}: Pick<RecordedRequest, 'service' | 'method' | 'path'>): string {
  const resource = path.replace(/\?.*$/, '').replace(/\/[0-9a-f-]{36}$/, '/ID');
  return `${service} ${method} ${resource}`;
}

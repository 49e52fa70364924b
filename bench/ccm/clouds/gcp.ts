import { computeFleetOf, keyOf } from '../../../test/lab/clouds/gcp/compute-instance.ts';
import type { ComputeInstance } from '../../../test/lab/clouds/gcp/compute-instance.ts';
import type { RecordedRequest } from '../../../test/lab/clouds/request-log.ts';
import { startLoopbackClouds } from '../../../test/lab/loopback-clouds.ts';
import type { BenchInstance } from '../../harness/node-drafts.ts';
import type { StartBenchCloud } from './cloud.ts';

const project = 'lab-project';
const zones = ['us-central1-a', 'us-central1-b', 'europe-west4-a'];

export const startGcp: StartBenchCloud = async (directory) => {
  const { clouds, env, stop } = await startLoopbackClouds(['gcp'], directory);
  const { gcp } = clouds;
  return {
    name: 'gcp',
    env,
    limits: { initialisedS: 15, cloudCalls: 10 },
    launchFleet: async (count, number) => {
      const fleet = computeFleetOf({ count, number, project, zones });
      await gcp.reset();
      await gcp.update({ computeInstances: fleet });
      return Object.values(fleet).map(benchInstance);
    },
    setLatency: (delayMs) => gcp.addFault({ kind: 'delay', service: 'compute', delayMs }),
    requests: gcp.requests,
    operationOf: gcpOperation,
    stop,
  };
};

function benchInstance(instance: ComputeInstance): BenchInstance {
  const { name, id } = instance;
  return { name, providerId: `gce://${keyOf(instance)}`, systemUuid: id };
}

export function gcpOperation({ service, path }: Pick<RecordedRequest, 'service' | 'path'>): string | undefined {
  if (service === 'metadata') return undefined;
  if (service !== 'compute') return service;
  return path.includes('/aggregated/') ? 'instances.aggregatedList' : 'instances.get';
}

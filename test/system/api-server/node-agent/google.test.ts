import t from 'tap';
import { createCloudNetwork } from '../../../lab/cloud-network.ts';
import { keyOf } from '../../../lab/clouds/gcp/compute-instance.ts';
import type { ComputeInstance } from '../../../lab/clouds/gcp/compute-instance.ts';
import { metadataStateOf } from '../../../lab/clouds/gcp/compute-metadata.ts';
import { gcpSite } from '../../../lab/clouds/gcp/site.ts';
import { sharedControlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import { requires } from '../../../lab/requires.ts';
import { runCloudScenario } from './cloud-scenario.ts';
import { environmentSupport } from './environment.ts';
import { connectMachine } from './machine-environment.ts';

const supported = await environmentSupport();
const instance: ComputeInstance = {
  project: 'lab-project',
  zone: 'us-central1-a',
  name: 'lab-node-1',
  // A number that no double can hold.
  id: '4520031799277581759',
  machineType: 'e2-standard-4',
  status: 'RUNNING',
  interfaces: [{ ip: '10.0.0.30', externalIp: '192.0.2.30' }],
};
t.setTimeout(240_000);

await t.test('an agent on Google Cloud, alone and with a controller', requires(supported), async (t) => {
  const plane = await sharedControlPlaneFor(t);
  const sites = [gcpSite('googleapis.com')];
  const { clouds, ...network } = await createCloudNetwork({ sites, machineOf: 'gcp', ipVersions: [4] });
  await clouds.gcp.update({ computeInstances: { [keyOf(instance)]: instance }, ...metadataStateOf(instance) });
  await runCloudScenario(t, {
    machine: await connectMachine(t, plane, network),
    lab: clouds.gcp,
    cloud: 'gcp',
    name: instance.name,
    providerId: `gce://${keyOf(instance)}`,
    instanceId: instance.id,
    labels: {
      'node.kubernetes.io/instance-type': instance.machineType,
      'topology.kubernetes.io/zone': instance.zone,
      'topology.kubernetes.io/region': 'us-central1',
    },
    addresses: [
      { type: 'InternalIP', address: '10.0.0.30' },
      { type: 'ExternalIP', address: '192.0.2.30' },
      { type: 'Hostname', address: instance.name },
    ],
    controllerEnv: {},
    metadataService: 'metadata',
    metadataPath: /\/instance\/network-interfaces\//,
    apiPath: /^\/compute\//,
  });
});

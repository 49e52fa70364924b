import t from 'tap';
import { createCloudNetwork } from '../../../lab/cloud-network.ts';
import { metadataMachineOf } from '../../../lab/clouds/azure/metadata-machine.ts';
import { azureSite } from '../../../lab/clouds/azure/site.ts';
import { labSubscription, virtualMachines } from '../../../lab/clouds/azure/virtual-machine.ts';
import type { LabVirtualMachine } from '../../../lab/clouds/azure/virtual-machine.ts';
import { sharedControlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import { requires } from '../../../lab/requires.ts';
import { runCloudScenario } from './cloud-scenario.ts';
import { environmentSupport } from './environment.ts';
import { connectMachine } from './machine-environment.ts';

const [plain] = virtualMachines({ count: 1, number: 1, scaleSet: 'Pool' }) as readonly [LabVirtualMachine];
const addresses = [{ privateIp: '10.1.0.4', publicIp: '192.0.2.4' }, { privateIp: 'fd00::4' }];
const machine: LabVirtualMachine = { ...plain, interfaces: [{ primary: true, addresses }] };
const name = 'pool000000';
t.setTimeout(240_000);

await t.test(
  'an agent on Azure, alone and with a controller',
  { ...requires(await environmentSupport()), timeout: 240_000 },
  async (t) => {
    const plane = await sharedControlPlaneFor(t);
    const sites = [azureSite([], [])];
    const { clouds, ...network } = await createCloudNetwork({ sites, machineOf: 'azure', ipVersions: [4] });
    await clouds.azure.update({
      machine: metadataMachineOf(machine),
      resourceManager: { machines: [machine] },
    });
    await runCloudScenario(t, {
      machine: await connectMachine(t, plane, network),
      lab: clouds.azure,
      cloud: 'azure',
      name,
      providerId: `azure://${machine.id}`,
      instanceId: machine.vmId,
      labels: {
        'node.kubernetes.io/instance-type': machine.size,
        'topology.kubernetes.io/zone': 'westeurope-1',
        'topology.kubernetes.io/region': 'westeurope',
      },
      addresses: [
        { type: 'InternalIP', address: '10.1.0.4' },
        { type: 'InternalIP', address: 'fd00::4' },
        { type: 'ExternalIP', address: '192.0.2.4' },
        { type: 'Hostname', address: name },
      ],
      // The Node has no providerID when it is registered. The token is that of the machine's managed identity.
      controllerEnv: { AZURE_SUBSCRIPTION_ID: labSubscription },
      metadataService: 'imds',
      metadataPath: /^\/metadata\/instance\?/,
      apiPath: /\/virtualMachines\/0\?/,
    });
  },
);

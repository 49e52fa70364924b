import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { stringify } from 'yaml';
import { createAzureNetwork } from '../../../lab/azure-network.ts';
import { labTenant } from '../../../lab/clouds/azure/state.ts';
import type { AzureState } from '../../../lab/clouds/azure/state.ts';
import { labSubscription } from '../../../lab/clouds/azure/virtual-machine.ts';
import type { LabCloud } from '../../../lab/clouds/lab-cloud.ts';
import { sharedControlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import { connectMachine } from '../../../system/api-server/node-agent/machine-environment.ts';
import type { MachineEnvironment } from '../../../system/api-server/node-agent/machine-environment.ts';

/** A machine of Azure at its production addresses, and a real API server that it can reach. */
export interface AzureTestEnvironment extends MachineEnvironment {
  readonly azure: LabCloud<AzureState>;
  /** What Azure's programs call cloud config. */
  readonly azureJson: string;
  /** The same for ours. */
  readonly config: string;
}

export async function startAzureEnvironment(t: Test): Promise<AzureTestEnvironment> {
  const network = await createAzureNetwork({ registries: [], authorities: [], ipVersions: [4] });
  const machine = await connectMachine(t, await sharedControlPlaneFor(t), network);
  const [azureJson, config] = [join(machine.directory, 'azure.json'), join(machine.directory, 'config.yaml')];
  await writeFile(azureJson, JSON.stringify(cloudConfig));
  await writeFile(config, stringify({ azure: { scopes: [{ name: 'lab', subscriptionId: labSubscription }] } }));
  return { ...machine, azure: network.azure, azureJson, config };
}

const cloudConfig = {
  cloud: 'AzurePublicCloud',
  tenantId: labTenant,
  subscriptionId: labSubscription,
  resourceGroup: 'lab',
  location: 'westeurope',
  vmType: 'vmss',
  useManagedIdentityExtension: true,
  useInstanceMetadata: false,
  loadBalancerSku: 'standard',
  vnetName: 'lab',
  subnetName: 'lab',
  securityGroupName: 'lab',
  routeTableName: 'lab',
};

import { azureSite } from '../clouds/azure/site.ts';
import { exchangeAudience, initialAzureState, podIdentity, podSubject } from '../clouds/azure/state.ts';
import type { Machine } from '../clouds/azure/machine.ts';
import type { AzureState } from '../clouds/azure/state.ts';
import type { LabCloud } from '../clouds/lab-cloud.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { issuer } from '../control-plane/parts.ts';
import { clusterKeys } from './cluster-keys.ts';
import type { CloudNode, NodeOptions } from './node-options.ts';
import { nodeIdentityEntry, builtPlugin } from './plugins.ts';
import { acrSite } from './registry/registry-site.ts';

/** A virtual machine; `podIdentity` trusts the cluster's service account `default/puller`. */
export const azureNode: CloudNode<'azure'> = { options: defaultOptions, configureCloud: trustCluster };

const defaultRegistry = 'acme.azurecr.io';

function defaultOptions(): NodeOptions<'azure'> {
  const { machine } = initialAzureState();
  return {
    sites: [azureSite([defaultRegistry], [])],
    machineOf: 'azure',
    ipVersions: [4],
    registries: [acrSite([defaultRegistry])],
    machine: { hostname: computerName, addresses: [machine.privateIp], dmi: firmwareOf(machine) },
    plugin: {
      providers: [nodeIdentityEntry(['*.azurecr.io'])],
      programs: { 'polycloud-credential-provider': builtPlugin },
    },
    kubeletArguments: [],
    parts: ['kube-controller-manager', 'kube-scheduler'],
  };
}

/** A machine of a scale set has another name in its system than at Azure, where it is `lab-vm_0`. */
const computerName = 'lab-vm000000';

async function trustCluster(azure: LabCloud<AzureState>, plane: ControlPlane): Promise<void> {
  const keys = await clusterKeys(plane);
  const principal = (await azure.state()).principals[podIdentity];
  if (principal === undefined) throw new Error('the embedded Azure has no identity for pods');
  const federations = [{ issuer, subject: podSubject, audience: exchangeAudience }];
  await azure.update({ issuers: { [issuer]: { keys } }, principals: { [podIdentity]: { ...principal, federations } } });
}

export function providerIdOf({ subscriptionId, resourceGroup, name }: Machine): string {
  const group = `azure:///subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}`;
  return `${group}/providers/Microsoft.Compute/virtualMachines/${name}`;
}

/** The firmware texts of Hyper-V for a machine of the second generation. The asset tag is Azure's own. */
function firmwareOf({ vmId }: Machine): Readonly<Record<string, string>> {
  return {
    sys_vendor: 'Microsoft Corporation',
    bios_vendor: 'Microsoft Corporation',
    product_name: 'Virtual Machine',
    product_uuid: vmId,
    chassis_asset_tag: '7783-7084-3265-9085-8269-3286-77',
  };
}

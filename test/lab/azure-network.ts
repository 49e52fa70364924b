import { createCloudNetwork } from './cloud-network.ts';
import { azureSite } from './clouds/azure/site.ts';
import type { AzureState } from './clouds/azure/state.ts';
import { initialAzureState } from './clouds/azure/state.ts';
import type { LabCloud } from './clouds/lab-cloud.ts';
import type { Namespace } from './network/namespace.ts';

export interface AzureNetworkOptions {
  /** Login servers besides those that the embedded Azure begins with. */
  readonly registries: readonly string[];
  /** Hosts of Entra besides those of Azure's own clouds. */
  readonly authorities: readonly string[];
  readonly ipVersions: readonly (4 | 6)[];
}

export interface AzureNetwork {
  readonly namespace: Namespace;
  readonly azure: LabCloud<AzureState>;
  /** PEM file of the authority that everything inside trusts. */
  readonly authorityFile: string;
  stop(): Promise<void>;
}

/** A machine of Azure with nothing but the embedded Azure around it. */
export async function createAzureNetwork(options: AzureNetworkOptions): Promise<AzureNetwork> {
  const { registries, authorities, ipVersions } = options;
  const names = [...Object.keys(initialAzureState().registries), ...registries];
  const sites = [azureSite(names, authorities)];
  const { clouds, ...network } = await createCloudNetwork({ sites, machineOf: 'azure', ipVersions });
  return { ...network, azure: clouds.azure };
}

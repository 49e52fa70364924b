import type { Test } from 'tap';
import type { Instances, LookupContext, LookupResult, NodeFacts, Scope } from '../../../clouds/cloud.ts';
import type { AzureConfig } from '../../../schemas/config/azure.ts';
import { labSubscription } from '../../lab/clouds/azure/virtual-machine.ts';
import type { LabVirtualMachine } from '../../lab/clouds/azure/virtual-machine.ts';
import { startAzureLab } from './azure-lab.ts';
import type { AzureLab, AzureNodeOptions } from './azure-lab.ts';

export const prodScope: Scope = { cloud: 'azure', key: 'azure/prod' };
const prod = { name: 'prod', subscriptionId: labSubscription };

export interface MachinesLab {
  readonly azure: AzureLab;
  /** With the scope `prod` unless the configuration has others. */
  instances(config?: Partial<AzureConfig>, host?: Pick<AzureNodeOptions, 'env' | 'files'>): Instances;
  context(): LookupContext;
  setMachines(machines: readonly LabVirtualMachine[]): Promise<void>;
  /** Requests to the Resource Manager, without what is after `?`. */
  paths(): Promise<readonly string[]>;
}

/** The embedded Resource Manager, and our `Instances` in front of it with the managed identity of the lab's machine. */
export async function startMachinesLab(t: Test): Promise<MachinesLab> {
  const azure = await startAzureLab(t);
  return {
    azure,
    instances: (config = {}, host = {}) => {
      const { instances } = azure.cloud({ ...host, config: { scopes: [prod], ...config } });
      if (instances === undefined) throw new Error('there are no instances');
      return instances;
    },
    context: () => ({ ...azure.context(), beforeCall: () => Promise.resolve() }),
    setMachines: (machines) => azure.lab.update({ resourceManager: { machines } }),
    paths: async () =>
      (await azure.lab.requests())
        .filter(({ service }) => service === 'resource-manager')
        .map(({ path }) => path.replace(/\?.*$/, '')),
  };
}

export function nodeOf({ id }: Pick<LabVirtualMachine, 'id'>): NodeFacts {
  return nodeWith(`azure://${id}`);
}

export function nodeWith(providerId: string): NodeFacts {
  return { uid: `uid of ${providerId}`, name: `node of ${providerId}`, providerId, nodeIps: [], labels: {} };
}

export async function lookUpOne(
  { instances, context }: Pick<MachinesLab, 'instances' | 'context'>,
  node: NodeFacts,
): Promise<LookupResult | undefined> {
  const results = await instances().lookUp(prodScope, { nodes: [node], verify: [] }, context());
  return results.get(node.uid);
}

import type { RecordedRequest } from '../../../test/lab/clouds/request-log.ts';
import { computerNameOf } from '../../../test/lab/clouds/azure/resource-documents.ts';
import { labSubscription, virtualMachines } from '../../../test/lab/clouds/azure/virtual-machine.ts';
import type { LabVirtualMachine } from '../../../test/lab/clouds/azure/virtual-machine.ts';
import { startLoopbackClouds } from '../../../test/lab/loopback-clouds.ts';
import type { BenchInstance } from '../../harness/node-drafts.ts';
import type { StartBenchCloud } from './cloud.ts';

/**
 * In one region: a list of 1,205 virtual machines in several regions came in pages of 299 to 50.
 * https://github.com/Azure/azure-rest-api-specs/issues/13843
 */
const pageSize = 50;
/** Half of the machines are in uniform scale sets of this size. */
const scaleSetSize = 500;

export const startAzure: StartBenchCloud = async (directory) => {
  const { clouds, env, stop } = await startLoopbackClouds(['azure'], directory);
  const { azure } = clouds;
  return {
    name: 'azure',
    env: { ...env, AZURE_SUBSCRIPTION_ID: labSubscription },
    limits: { initialisedS: 15 },
    launchFleet: async (count, number) => {
      const machines = fleetOf(count, number);
      await azure.reset();
      await azure.update({ resourceManager: { machines, pageSize } });
      return machines.map(benchInstance);
    },
    setLatency: (delayMs) => azure.addFault({ kind: 'delay', service: 'resource-manager', delayMs }),
    requests: azure.requests,
    operationOf: azureOperation,
    stop,
  };
};

function fleetOf(count: number, number: number): readonly LabVirtualMachine[] {
  const single = virtualMachines({ count: Math.ceil(count / 2), number });
  // Fleets have numbers below 100, so no machine has these ids.
  const inSets = virtualMachines({ count: Math.floor(count / 2), number: number + 100, scaleSet: 'pool' });
  return [...single, ...inSets.map((machine, index) => ({ ...machine, id: withinSet(machine.id, index) }))];
}

function withinSet(id: string, index: number): string {
  const [set, at] = [Math.floor(index / scaleSetSize), index % scaleSetSize];
  return id.replace(/pool\/virtualMachines\/\d+$/, `pool-${set}/virtualMachines/${at}`);
}

function benchInstance(machine: LabVirtualMachine): BenchInstance {
  return { name: computerNameOf(machine), providerId: `azure://${machine.id}`, systemUuid: machine.vmId };
}

/** The type of the resource in lower case, as links to further pages have it, and whether it is one or a list. */
export function azureOperation({ service, path }: Pick<RecordedRequest, 'service' | 'path'>): string | undefined {
  if (service === 'imds') return undefined;
  if (service !== 'resource-manager') return service;
  const [inGroup = '', ofProvider] = path.replace(/\?.*$/, '').toLowerCase().split('/providers/');
  const parts = ofProvider === undefined ? inGroup.split('/').slice(3) : ofProvider.split('/').slice(1);
  const types = parts.filter((_each, index) => index % 2 === 0).join('/');
  if (parts.length % 2 === 0) return `GET ${types}`;
  return `LIST ${types}${path.includes('statusOnly=true') ? ', states' : ''}`;
}

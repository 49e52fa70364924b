import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { stringify } from 'yaml';
import { virtualMachines } from '../../../lab/clouds/azure/virtual-machine.ts';
import { computeFleetOf, keyOf } from '../../../lab/clouds/gcp/compute-instance.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import type { LabCloud } from '../../../lab/clouds/lab-cloud.ts';
import { startLoopbackClouds } from '../../../lab/loopback-clouds.ts';
import type { LoopbackClouds } from '../../../lab/loopback-clouds.ts';
import type { ControllerProcessSettings } from './controller-process.ts';
import { launchInstances, providerIdOf, removeInstance } from './environment.ts';
import type { TestEnvironment } from './environment.ts';

/** A cloud of the mixed cluster, as far as the test uses it. */
export interface MixedCloud {
  readonly name: string;
  /** Of running machines. */
  readonly providerIds: readonly string[];
  /** This machine does not exist any more. */
  remove(index: number): Promise<void>;
  beginOutage(): Promise<void>;
  endOutage(): Promise<void>;
}

export interface MixedClouds {
  readonly clouds: readonly MixedCloud[];
  readonly settings: Pick<ControllerProcessSettings, 'clouds' | 'config' | 'env'>;
}

/** All clouds that there are, each with so many machines. */
export async function startMixedClouds(t: Test, environment: TestEnvironment, count: number): Promise<MixedClouds> {
  const directory = t.testdir();
  const loopback = await startLoopbackClouds(['azure', 'gcp'], directory);
  t.teardown(loopback.stop);
  const inventoryFile = join(directory, 'inventory.yaml');
  const clouds = [
    await startAws(environment, count),
    await startAzure(loopback, count),
    await startGcp(loopback, count),
    await startStatic(inventoryFile, count),
  ];
  const config = { static: { inventoryFile } };
  return { clouds, settings: { clouds: clouds.map(({ name }) => name), config, env: loopback.env } };
}

async function startAws(environment: TestEnvironment, count: number): Promise<MixedCloud> {
  const instances = await launchInstances(environment, count, 40);
  return {
    name: 'aws',
    providerIds: instances.map(providerIdOf),
    remove: (index) => removeInstance(environment, at(instances, index)),
    ...outages(environment.aws, { service: 'ec2', kind: 'status', status: 500 }),
  };
}

type TwoClouds = LoopbackClouds<'azure' | 'gcp'>['clouds'];

async function startAzure({ clouds }: { readonly clouds: TwoClouds }, count: number): Promise<MixedCloud> {
  const machines = virtualMachines({ count, number: 41 });
  const set = (machinesNow: typeof machines): Promise<void> =>
    clouds.azure.update({ resourceManager: { machines: machinesNow } });
  await set(machines);
  return {
    name: 'azure',
    providerIds: machines.map(({ id }) => `azure://${id}`),
    remove: (index) => set(machines.toSpliced(index, 1)),
    // As a gateway answers that does not know the Resource Manager.
    ...outages(clouds.azure, { service: 'resource-manager', kind: 'status', status: 404, body: '<html>' }),
  };
}

async function startGcp({ clouds }: { readonly clouds: TwoClouds }, count: number): Promise<MixedCloud> {
  const fleet = computeFleetOf({
    count,
    project: 'lab-project',
    zones: ['us-central1-a', 'us-central1-b'],
    number: 42,
  });
  await clouds.gcp.update({ computeInstances: fleet });
  const paths = Object.values(fleet).map(keyOf);
  return {
    name: 'gcp',
    providerIds: paths.map((path) => `gce://${path}`),
    remove: (index) =>
      clouds.gcp.update({ compute: { hiddenFromGet: [at(paths, index)], leftOutOfLists: [at(paths, index)] } }),
    ...outages(clouds.gcp, { service: 'compute', kind: 'reset' }),
  };
}

async function startStatic(inventoryFile: string, count: number): Promise<MixedCloud> {
  const machines = Array.from({ length: count }, (_each, index) => ({
    name: `metal-${index}`,
    addresses: [{ type: 'InternalIP', address: `192.168.43.${index}` }],
    retired: false,
  }));
  const write = (): Promise<void> => writeFile(inventoryFile, stringify({ machines }));
  await write();
  return {
    name: 'static',
    providerIds: machines.map(({ name }) => `static://${name}`),
    remove: async (index) => {
      at(machines, index).retired = true;
      await write();
    },
    beginOutage: () => rm(inventoryFile),
    endOutage: write,
  };
}

function outages(lab: LabCloud<object>, fault: Fault): Pick<MixedCloud, 'beginOutage' | 'endOutage'> {
  return { beginOutage: () => lab.addFault(fault), endOutage: lab.clearFaults };
}

function at<T>(all: readonly T[], index: number): T {
  const found = all[index];
  if (found === undefined) throw new Error('there are fewer machines');
  return found;
}

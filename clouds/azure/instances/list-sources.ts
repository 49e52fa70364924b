import type { Context } from '../../../lib/context.ts';
import type { MachineResource } from '../provider-id.ts';
import { MachineStatus, NetworkInterfaceResource, PublicIpResource, VirtualMachine } from '../schemas.ts';
import { networkVersions } from './addresses.ts';
import type { ResourceList } from './resource-list.ts';
import { computeVersion } from './resource-manager.ts';
import type { PagedResourceManager } from './resource-manager.ts';

/** Documents by id in lower case. */
export type Documents = ReadonlyMap<string, unknown>;

/** Throws a `Failure` if a page cannot be read: the next call goes on where this one stopped. */
export type DocumentReader = (context: Context) => Promise<Documents>;

/** Lists that have the machines of one place, with their interfaces and addresses. */
export interface ListSource {
  readonly key: string;
  open(manager: PagedResourceManager): DocumentReader;
}

/** The machines of a scale set are in no list but its own. */
export function sourcesOf(machines: readonly MachineResource[]): readonly ListSource[] {
  const sources = machines.map((machine) => {
    const { subscriptionId, resourceGroup, scaleSet } = machine;
    const subscription = `/subscriptions/${subscriptionId}`;
    if (scaleSet === undefined) return subscriptionSource(subscription);
    const compute = `${subscription}/resourceGroups/${resourceGroup}/providers/Microsoft.Compute`;
    return scaleSetSource(`${compute}/virtualMachineScaleSets/${scaleSet}`);
  });
  return [...new Map(sources.map((source) => [source.key, source])).values()];
}

/**
 * https://learn.microsoft.com/rest/api/compute/virtual-machines/list-all: the power states are in a list of their own.
 */
function subscriptionSource(subscription: string): ListSource {
  return {
    key: subscription,
    open: (manager) => {
      const compute = `${subscription}/providers/Microsoft.Compute/virtualMachines`;
      const network = `${subscription}/providers/Microsoft.Network`;
      const ofCompute = { 'api-version': computeVersion };
      const ofNetwork = { 'api-version': networkVersions.machine };
      const machines = manager.openList(compute, ofCompute, keeping(VirtualMachine));
      const statuses = manager.openList(compute, { ...ofCompute, statusOnly: 'true' }, keeping(MachineStatus));
      const interfaces = manager.openList(`${network}/networkInterfaces`, ofNetwork, keeping(NetworkInterfaceResource));
      const publicIps = manager.openList(`${network}/publicIPAddresses`, ofNetwork, keeping(PublicIpResource));
      return async (context) => {
        await readAll([machines, statuses, interfaces, publicIps], context);
        const found = withStatus(machines.resources, statuses.resources);
        return new Map<string, unknown>([...found, ...byId([...interfaces.resources, ...publicIps.resources])]);
      };
    },
  };
}

/** https://learn.microsoft.com/rest/api/compute/virtual-machine-scale-set-vms/list */
function scaleSetSource(scaleSet: string): ListSource {
  return {
    key: scaleSet.toLowerCase(),
    open: (manager) => {
      const ofCompute = { 'api-version': computeVersion, $expand: 'instanceView' };
      const ofNetwork = { 'api-version': networkVersions.scaleSet };
      const lists = [
        manager.openList(`${scaleSet}/virtualMachines`, ofCompute, keeping(VirtualMachine)),
        manager.openList(`${scaleSet}/networkInterfaces`, ofNetwork, keeping(NetworkInterfaceResource)),
        manager.openList(`${scaleSet}/publicIPAddresses`, ofNetwork, keeping(PublicIpResource)),
      ];
      return async (context) => {
        await readAll(lists, context);
        return byId(lists.flatMap((list): readonly WithId[] => list.resources));
      };
    },
  };
}

interface WithId {
  readonly id: string;
}

async function readAll(lists: readonly ResourceList<WithId>[], context: Context): Promise<void> {
  await allOf(lists.map((list) => list.readRest(context)));
}

/** All have ended when it throws the first failure, so no list is still being read for a look-up that is over. */
export async function allOf<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

interface ResourceSchema<T> {
  safeParse(value: unknown): { readonly success: true; readonly data: T } | { readonly success: false };
}

/** Only what is needed of each. One in another format is left out, so it is requested by its id. */
function keeping<T>(schema: ResourceSchema<T>): (resource: unknown) => readonly T[] {
  return (resource) => {
    const parsed = schema.safeParse(resource);
    return parsed.success ? [parsed.data] : [];
  };
}

function byId<T extends WithId>(resources: readonly T[]): ReadonlyMap<string, T> {
  return new Map(resources.map((resource) => [resource.id.toLowerCase(), resource] as const));
}

/** A machine without a status is left out too. */
function withStatus(machines: readonly VirtualMachine[], statuses: readonly MachineStatus[]): Documents {
  const views = byId(statuses);
  return new Map(
    [...byId(machines)].flatMap(([id, machine]) => {
      const instanceView = views.get(id)?.properties.instanceView;
      if (instanceView === undefined) return [];
      return [[id, { ...machine, properties: { ...machine.properties, instanceView } }] as const];
    }),
  );
}

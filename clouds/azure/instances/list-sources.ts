import type { MachineResource } from '../provider-id.ts';
import { MachineStatus, NetworkInterfaceResource, PublicIpResource, VirtualMachine } from '../schemas.ts';
import type { ListedResource } from '../schemas.ts';
import { networkVersions } from './addresses.ts';
import type { ListSource } from './kept-lists.ts';
import { keeping, readAll } from './resource-list.ts';
import { computeVersion } from './resource-manager.ts';

/** Documents by id in lower case. */
export type Documents = ReadonlyMap<string, unknown>;

/** The machines of a scale set are in no list but its own. */
export function sourcesOf(machines: readonly MachineResource[]): readonly ListSource<Documents>[] {
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
function subscriptionSource(subscription: string): ListSource<Documents> {
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
        await readAll([machines, statuses, interfaces], context);
        if (interfaces.resources.some(namesPublicIp)) await publicIps.readRest(context);
        const found = withStatus(machines.resources, statuses.resources);
        return new Map<string, unknown>([...found, ...byId([...interfaces.resources, ...publicIps.resources])]);
      };
    },
  };
}

/** https://learn.microsoft.com/rest/api/compute/virtual-machine-scale-set-vms/list */
function scaleSetSource(scaleSet: string): ListSource<Documents> {
  return {
    key: scaleSet.toLowerCase(),
    open: (manager) => {
      const ofCompute = { 'api-version': computeVersion, $expand: 'instanceView' };
      const ofNetwork = { 'api-version': networkVersions.scaleSet };
      const machines = manager.openList(`${scaleSet}/virtualMachines`, ofCompute, keeping(VirtualMachine));
      const interfaces = manager.openList(
        `${scaleSet}/networkInterfaces`,
        ofNetwork,
        keeping(NetworkInterfaceResource),
      );
      const publicIps = manager.openList(`${scaleSet}/publicIPAddresses`, ofNetwork, keeping(PublicIpResource));
      return async (context) => {
        await readAll([machines, interfaces], context);
        if (interfaces.resources.some(namesPublicIp)) await publicIps.readRest(context);
        return byId<ListedResource>([...machines.resources, ...interfaces.resources, ...publicIps.resources]);
      };
    },
  };
}

/** Without its address, which is in the list of public addresses. */
function namesPublicIp({ properties }: NetworkInterfaceResource): boolean {
  return properties.ipConfigurations.some((each) => {
    const { publicIPAddress } = each.properties;
    return publicIPAddress !== undefined && publicIPAddress.properties === undefined;
  });
}

function byId<T extends ListedResource>(resources: readonly T[]): ReadonlyMap<string, T> {
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

import type { Context } from '../../../lib/context.ts';
import { formatGroupId, resourceKey } from '../provider-id.ts';
import type { MachineResource } from '../provider-id.ts';
import { ListedResource } from '../schemas.ts';
import { notItsFormat } from '../resource-manager-errors.ts';
import { computeVersion } from './resource-manager.ts';
import type { ResourceManager } from './resource-manager.ts';

/**
 * What Azure lists at the moment of one look-up. It is read when a machine was not found by its id: that alone could be
 * the Resource Manager's mistake, also for many machines of one place, while all others are found.
 */
export interface CurrentLists {
  /** Throws a `Failure` if it cannot be found out, also if its resource group does not exist. */
  has(machine: MachineResource): Promise<boolean>;
}

export function createCurrentLists(manager: ResourceManager, context: Context): CurrentLists {
  const read = new Map<string, Promise<ReadonlySet<string>>>();

  /** Each list is read once. */
  function idsIn(path: string): Promise<ReadonlySet<string>> {
    const ids = read.get(path.toLowerCase()) ?? listIds(path);
    read.set(path.toLowerCase(), ids);
    return ids;
  }

  async function listIds(path: string): Promise<ReadonlySet<string>> {
    const resources = await manager.list(path, { 'api-version': computeVersion }, context);
    return new Set(resources.map(idOf));
  }

  return {
    has: async (machine) => {
      const compute = `${formatGroupId(machine)}/providers/Microsoft.Compute`;
      if (machine.scaleSet === undefined) return (await idsIn(`${compute}/virtualMachines`)).has(resourceKey(machine));
      // The list of a scale set that does not exist is an error, so the set is looked for first.
      const sets = `${compute}/virtualMachineScaleSets`;
      const scaleSet = `${sets}/${machine.scaleSet}`;
      if (!(await idsIn(sets)).has(scaleSet.toLowerCase())) return false;
      return (await idsIn(`${scaleSet}/virtualMachines`)).has(resourceKey(machine));
    },
  };
}

function idOf(resource: unknown): string {
  const parsed = ListedResource.safeParse(resource);
  if (parsed.success) return parsed.data.id.toLowerCase();
  throw notItsFormat('the Resource Manager');
}

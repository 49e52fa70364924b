import type { Context } from '../../../lib/context.ts';
import { formatGroupId, resourceKey } from '../provider-id.ts';
import type { MachineResource } from '../provider-id.ts';
import { ListedResource } from '../schemas.ts';
import { notItsFormat } from '../resource-manager-errors.ts';
import { computeVersion } from './resource-manager.ts';
import type { ResourceManager } from './resource-manager.ts';

/**
 * What Azure lists at the moment. It is read when a machine was not found by its id: that alone could be the Resource
 * Manager's mistake, also for many machines of one place, while all others are found.
 */
export interface CurrentLists {
  /** Throws a `Failure` if it cannot be found out, also if its resource group does not exist. */
  has(machine: MachineResource): Promise<boolean>;
}

/** Whole lists of one scope, by path. Each is used for a moment: gone machines are looked up every few seconds. */
export type RecentLists = Map<string, { readonly ids: ReadonlySet<string>; readonly readAtMs: number }>;

const keptMs = 10_000;

export function createCurrentLists(manager: ResourceManager, recent: RecentLists, context: Context): CurrentLists {
  const { clock } = context;
  const reading = new Map<string, Promise<ReadonlySet<string>>>();

  /** Each list is read once. */
  function idsIn(path: string): Promise<ReadonlySet<string>> {
    const ids = reading.get(path.toLowerCase()) ?? readIds(path);
    reading.set(path.toLowerCase(), ids);
    return ids;
  }

  async function readIds(path: string): Promise<ReadonlySet<string>> {
    const key = path.toLowerCase();
    const readAtMs = clock.monotonicMs();
    for (const [each, list] of recent) if (readAtMs - list.readAtMs >= keptMs) recent.delete(each);
    const known = recent.get(key);
    if (known !== undefined) return known.ids;
    const resources = await manager.list(path, { 'api-version': computeVersion }, context);
    const ids = new Set(resources.map(idOf));
    recent.set(key, { ids, readAtMs });
    return ids;
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

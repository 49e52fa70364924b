import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import { resourceKey } from '../provider-id.ts';
import type { MachineResource } from '../provider-id.ts';
import { createKeptLists, isOutOfTime } from './kept-lists.ts';
import type { ListSource } from './kept-lists.ts';
import { sourcesOf } from './list-sources.ts';
import type { Documents } from './list-sources.ts';
import { allOf } from './resource-list.ts';
import type { PagedResourceManager, ResourceManager } from './resource-manager.ts';

/** The lists of one scope. */
export interface ListedDocuments {
  /** A list that cannot be read as a whole has nothing. Throws a `Failure` if it is throttled. */
  read(machines: readonly MachineResource[], context: Context): Promise<ListedMachines>;
}

/** What the lists have of some machines. */
export interface ListedMachines {
  has(machine: MachineResource): boolean;
  /** Does not request what is in a list, and requests everything else. */
  readonly manager: ResourceManager;
}

/** Enough for some 10,000 machines. */
const ages = { keptMs: 10_000, resumedMs: 2 * 60_000 };

export function createListedDocuments(manager: PagedResourceManager): ListedDocuments {
  const kept = createKeptLists<Documents>(manager, ages);

  async function readOrNothing(source: ListSource<Documents>, context: Context): Promise<Documents> {
    try {
      return await kept.read(source, context);
    } catch (error) {
      if (isOutOfTime(error, context)) throw error;
      // Another batch may have begun this list, and been stopped.
      const why = error instanceof Failure ? error.message : 'the list was stopped';
      context.log.debug(`machines are looked up by id, since they could not be listed: ${why}`);
      return new Map();
    }
  }

  return {
    read: async (machines, context) => {
      const read = await allOf(sourcesOf(machines).map((source) => readOrNothing(source, context)));
      return listedMachines(new Map(read.flatMap((documents) => [...documents])), manager);
    },
  };
}

function listedMachines(documents: Documents, manager: ResourceManager): ListedMachines {
  const target = 'the Resource Manager';
  return {
    has: (machine) => documents.has(resourceKey(machine)),
    manager: {
      list: manager.list,
      get: async (id, query, context) => {
        const body = documents.get(id.toLowerCase());
        return body === undefined ? manager.get(id, query, context) : { is: 'answer', body, target };
      },
    },
  };
}

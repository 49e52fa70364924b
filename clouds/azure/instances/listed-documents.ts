import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import { resourceKey } from '../provider-id.ts';
import type { MachineResource } from '../provider-id.ts';
import { allOf, sourcesOf } from './list-sources.ts';
import type { DocumentReader, Documents, ListSource } from './list-sources.ts';
import type { PagedResourceManager, ResourceManager } from './resource-manager.ts';

/** The lists of one scope, each kept for a moment: the batches of one sweep share them. */
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

/** From their end. */
const keptMs = 10_000;
/** From their beginning: enough for some 20,000 machines. */
const resumedMs = 5 * 60_000;

interface KeptLists {
  readonly begunAtMs: number;
  readonly readRest: DocumentReader;
  /** While they are being read, and afterwards. */
  documents?: Promise<Documents> | undefined;
  readAtMs?: number;
}

export function createListedDocuments(manager: PagedResourceManager): ListedDocuments {
  const kept = new Map<string, KeptLists>();

  function readOnce(source: ListSource, context: Context): Promise<Documents> {
    const nowMs = context.clock.monotonicMs();
    const found = kept.get(source.key);
    const lists = found && isUsable(found, nowMs) ? found : { begunAtMs: nowMs, readRest: source.open(manager) };
    kept.set(source.key, lists);
    // The next batch goes on or begins anew. Those that wait for this one get its failure.
    lists.documents ??= readAll(lists, context).catch((error: unknown) => {
      if (isOutOfTime(error, context)) lists.documents = undefined;
      else if (kept.get(source.key) === lists) kept.delete(source.key);
      throw error;
    });
    return lists.documents;
  }

  async function readOrNothing(source: ListSource, context: Context): Promise<Documents> {
    try {
      return await readOnce(source, context);
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

function isUsable({ begunAtMs, readAtMs }: KeptLists, nowMs: number): boolean {
  return readAtMs === undefined ? nowMs - begunAtMs < resumedMs : nowMs - readAtMs < keptMs;
}

async function readAll(lists: KeptLists, context: Context): Promise<Documents> {
  const documents = await lists.readRest(context);
  lists.readAtMs = context.clock.monotonicMs();
  return documents;
}

/** By the rate limit, ours or Azure's. */
function isOutOfTime(error: unknown, { signal }: Context): boolean {
  return signal.aborted || (error instanceof Failure && error.kind === 'throttled');
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

import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import { resourceKey } from '../provider-id.ts';
import type { MachineResource } from '../provider-id.ts';
import { MachineStatus, NetworkInterfaceResource, PublicIpResource, VirtualMachine } from '../schemas.ts';
import { networkVersions } from './addresses.ts';
import { computeVersion } from './resource-manager.ts';
import type { ResourceManager } from './resource-manager.ts';

/** Documents by id in lower case. */
type Documents = ReadonlyMap<string, unknown>;

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

const keptMs = 10_000;

export function createListedDocuments(manager: ResourceManager): ListedDocuments {
  const kept = new Map<string, { readonly documents: Promise<Documents>; readonly readAtMs: number }>();

  function readOnce(source: Source, context: Context): Promise<Documents> {
    const nowMs = context.clock.monotonicMs();
    const found = kept.get(source.key);
    if (found !== undefined && nowMs - found.readAtMs < keptMs) return found.documents;
    const documents = source.read(manager, context);
    kept.set(source.key, { documents, readAtMs: nowMs });
    // The next batch reads it again. Those that wait for this one get its failure.
    documents.catch(() => kept.delete(source.key));
    return documents;
  }

  async function readOrNothing(source: Source, context: Context): Promise<Documents> {
    try {
      return await readOnce(source, context);
    } catch (error) {
      const isThrottled = error instanceof Failure && error.kind === 'throttled';
      if (context.signal.aborted || isThrottled) throw error;
      // Another batch may have begun this list, and been stopped.
      const why = error instanceof Failure ? error.message : 'the list was stopped';
      context.log.debug(`machines are looked up by id, since they could not be listed: ${why}`);
      return new Map();
    }
  }

  return {
    read: async (machines, context) => {
      const read = await Promise.all(sourcesOf(machines).map((source) => readOrNothing(source, context)));
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

interface Source {
  readonly key: string;
  read(manager: ResourceManager, context: Context): Promise<Documents>;
}

/** The machines of a scale set are in no list but its own. */
function sourcesOf(machines: readonly MachineResource[]): readonly Source[] {
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
function subscriptionSource(subscription: string): Source {
  return {
    key: subscription,
    read: async (manager, context) => {
      const compute = `${subscription}/providers/Microsoft.Compute/virtualMachines`;
      const network = `${subscription}/providers/Microsoft.Network`;
      const ofCompute = { 'api-version': computeVersion };
      const ofNetwork = { 'api-version': networkVersions.machine };
      const [machines, statuses, interfaces, publicIps] = await Promise.all([
        manager.list(compute, ofCompute, context),
        manager.list(compute, { ...ofCompute, statusOnly: 'true' }, context),
        manager.list(`${network}/networkInterfaces`, ofNetwork, context),
        manager.list(`${network}/publicIPAddresses`, ofNetwork, context),
      ]);
      return new Map<string, unknown>([
        ...withStatus(machines, statuses),
        ...byId(interfaces, NetworkInterfaceResource),
        ...byId(publicIps, PublicIpResource),
      ]);
    },
  };
}

/** https://learn.microsoft.com/rest/api/compute/virtual-machine-scale-set-vms/list */
function scaleSetSource(scaleSet: string): Source {
  return {
    key: scaleSet.toLowerCase(),
    read: async (manager, context) => {
      const ofNetwork = { 'api-version': networkVersions.scaleSet };
      const [machines, interfaces, publicIps] = await Promise.all([
        manager.list(
          `${scaleSet}/virtualMachines`,
          { 'api-version': computeVersion, $expand: 'instanceView' },
          context,
        ),
        manager.list(`${scaleSet}/networkInterfaces`, ofNetwork, context),
        manager.list(`${scaleSet}/publicIPAddresses`, ofNetwork, context),
      ]);
      return new Map<string, unknown>([
        ...byId(machines, VirtualMachine),
        ...byId(interfaces, NetworkInterfaceResource),
        ...byId(publicIps, PublicIpResource),
      ]);
    },
  };
}

interface ResourceSchema<T> {
  safeParse(value: unknown): { readonly success: true; readonly data: T } | { readonly success: false };
}

/** Only what is needed of each. One in another format is left out, so it is requested by its id. */
function byId<T extends { readonly id: string }>(
  resources: readonly unknown[],
  schema: ResourceSchema<T>,
): ReadonlyMap<string, T> {
  return new Map(
    resources.flatMap((each) => {
      const parsed = schema.safeParse(each);
      return parsed.success ? [[parsed.data.id.toLowerCase(), parsed.data] as const] : [];
    }),
  );
}

/** A machine without a status is left out too. */
function withStatus(machines: readonly unknown[], statuses: readonly unknown[]): Documents {
  const views = byId(statuses, MachineStatus);
  return new Map(
    [...byId(machines, VirtualMachine)].flatMap(([id, machine]) => {
      const instanceView = views.get(id)?.properties.instanceView;
      if (instanceView === undefined) return [];
      return [[id, { ...machine, properties: { ...machine.properties, instanceView } }] as const];
    }),
  );
}

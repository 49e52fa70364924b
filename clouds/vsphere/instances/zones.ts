import type { Context } from '../../../lib/context.ts';
import { Failure } from '../../../lib/failure.ts';
import type { VsphereConfig } from '../../../schemas/config/vsphere.ts';
import { keyOfObject, readReference } from '../soap/envelope.ts';
import type { ManagedObject } from '../soap/envelope.ts';
import { ancestorsSpec, retrieveProperties } from '../soap/properties.ts';
import type { VmDescription } from '../vm.ts';
import type { PlaceTags } from './tags.ts';
import type { VcenterConnection } from '../session.ts';
import type { Vcenter } from './vcenter.ts';

type Categories = VsphereConfig['tagCategories'];

/** What is known of the inventory above the machines. By `keyOfObject`. */
interface Inventory {
  /** From an object to what it is in; absent at the root. */
  readonly parents: ReadonlyMap<string, ManagedObject>;
  readonly tags: ReadonlyMap<string, PlaceTags>;
}

/** vCenter does not name a limit of its own. */
const objectsAtOnce = 500;

/**
 * Zone and region of each machine, by the id of its object; a `Failure` where the tags do not name them. The tags of
 * machines themselves are read only where their hosts and resource pools do not have all.
 */
export async function readPlaces(
  vms: readonly VmDescription[],
  vcenter: Vcenter,
  categories: Categories,
  context: Context,
): Promise<ReadonlyMap<string, PlaceTags | Failure>> {
  if ((categories.zone === undefined && categories.region === undefined) || vms.length === 0) return new Map();
  return vcenter.session.run(async (connection) => {
    const readTags = async (objects: readonly ManagedObject[]): Promise<Inventory['tags']> =>
      objects.length === 0 ? new Map() : vcenter.tags.read(objects, connection, context);
    const starts = vms.flatMap(({ host, resourcePool, folder }) => [host, resourcePool, folder]);
    const { parents, objects } = await readAncestors(distinct(starts), connection, context);
    const above: Inventory = { parents, tags: await readTags(objects) };
    const incomplete = vms.filter((vm) => placeOfWays([vm.host, vm.resourcePool], above, categories) === undefined);
    let tags = above.tags;
    for (let at = 0; at < incomplete.length; at += objectsAtOnce) {
      const refs = incomplete.slice(at, at + objectsAtOnce).map(({ ref }) => ref);
      tags = new Map([...tags, ...(await readTags(refs))]);
    }
    return new Map(vms.map((vm) => [vm.ref.id, placeOfVm(vm, { parents, tags }, categories)] as const));
  }, context);
}

async function readAncestors(
  starts: readonly ManagedObject[],
  connection: VcenterConnection,
  context: Context,
): Promise<{ readonly parents: Inventory['parents']; readonly objects: readonly ManagedObject[] }> {
  if (starts.length === 0) return { parents: new Map(), objects: [] };
  const query = { type: 'ManagedEntity', paths: ['parent'], objects: ancestorsSpec(starts) };
  const found = await retrieveProperties(query, connection, context);
  const parents = found.flatMap(({ ref, properties }) => {
    const parent = readReference(properties.get('parent'));
    return parent === undefined ? [] : [[keyOfObject(ref), parent] as const];
  });
  return { parents: new Map(parents), objects: distinct(found.map(({ ref }) => ref)) };
}

function distinct(refs: readonly (ManagedObject | undefined)[]): readonly ManagedObject[] {
  return [...new Map(refs.flatMap((ref) => (ref === undefined ? [] : [[keyOfObject(ref), ref] as const]))).values()];
}

/** The way up from the host and its cluster, from the resource pool, or from the machine and its folders. */
function placeOfVm(vm: VmDescription, { parents, tags }: Inventory, categories: Categories): PlaceTags | Failure {
  const ownFolder = vm.folder === undefined ? [] : [[keyOfObject(vm.ref), vm.folder] as const];
  const inventory = { tags, parents: new Map([...parents, ...ownFolder]) };
  return placeOfWays([vm.host, vm.resourcePool, vm.ref], inventory, categories) ?? withoutTags(vm, categories);
}

/** Of the first way with all tags. On each way, the tag of the nearest object counts. */
function placeOfWays(
  starts: readonly (ManagedObject | undefined)[],
  inventory: Inventory,
  categories: Categories,
): PlaceTags | undefined {
  const isComplete = ({ zone, region }: PlaceTags): boolean =>
    (categories.zone === undefined || zone !== undefined) && (categories.region === undefined || region !== undefined);
  return starts.map((start) => placeOnWay(start, inventory)).find(isComplete);
}

function placeOnWay(start: ManagedObject | undefined, { parents, tags }: Inventory): PlaceTags {
  const seen = new Set<string>();
  let place: PlaceTags = {};
  for (let at = start; at !== undefined && !seen.has(keyOfObject(at)); at = parents.get(keyOfObject(at))) {
    seen.add(keyOfObject(at));
    place = { ...tags.get(keyOfObject(at)), ...place };
  }
  return place;
}

function withoutTags({ ref }: VmDescription, { zone, region }: Categories): Failure {
  const names = [zone, region].filter((each) => each !== undefined).join(' and ');
  return new Failure(
    'misconfigured',
    `${ref.id} has no tag of ${names} on its host, resource pool or folders, nor above them`,
    {
      remedy: 'attach the tags, correct vsphere.tagCategories, or let the account read the tagged objects',
    },
  );
}

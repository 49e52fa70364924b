import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { NodeFacts, NodeUid } from '../../cloud.ts';
import { formatProviderId, parseResourceId, resourceKey } from '../provider-id.ts';
import type { MachineResource } from '../provider-id.ts';
import type { NamedMachine, NamedScaleSet } from '../schemas.ts';
import type { KeptLists } from './kept-lists.ts';
import { namesInScaleSet, namesInSubscription } from './name-sources.ts';
import type { ListedNames } from './name-sources.ts';
import { allOf } from './resource-list.ts';

/**
 * The machine of a name. A name that no machine has is no evidence about any machine, so it never means "not-found".
 */
export type MachineNameLookup =
  | { readonly status: 'found'; readonly resource: MachineResource }
  | { readonly status: 'ambiguous'; readonly candidates: readonly string[] }
  | { readonly status: 'unknown'; readonly failure: Failure };

export interface ByNameDeps {
  readonly names: KeptLists<ListedNames>;
  readonly context: Context;
  /** In which nodes without a providerID are looked up; `undefined`: it is not known. */
  readonly subscriptionId: string | undefined;
  includes(machine: MachineResource): boolean;
}

/** By the names in the machines' systems, from which the kubelet has the Node's name. Never throws a `Failure`. */
export async function findByNames(
  nodes: readonly NodeFacts[],
  deps: ByNameDeps,
): Promise<ReadonlyMap<NodeUid, MachineNameLookup>> {
  try {
    const named = await readNames(nodes, deps);
    const byName = Map.groupBy(
      named.flatMap(({ names, resource }) => names.map((name) => ({ name, resource }))),
      ({ name }) => name,
    );
    return new Map(nodes.map((node) => [node.uid, lookupOf(node, byName)]));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return new Map(nodes.map((node) => [node.uid, { status: 'unknown', failure: error }]));
  }
}

interface NamedResource {
  /** In lower case. */
  readonly names: readonly string[];
  readonly resource: MachineResource;
}

async function readNames(nodes: readonly NodeFacts[], deps: ByNameDeps): Promise<readonly NamedResource[]> {
  const { names, context, subscriptionId } = deps;
  if (subscriptionId === undefined) throw unknownSubscription();
  const inSubscription = await names.read(namesInSubscription(subscriptionId), context);
  const inSets = await allOf(
    scaleSetsFor(nodes, inSubscription.scaleSets).map((id) => names.read(namesInScaleSet(id), context)),
  );
  return [inSubscription, ...inSets]
    .flatMap(({ machines }) => machines.flatMap(namedResource))
    .filter(({ resource }) => deps.includes(resource));
}

function namedResource({ id, properties }: NamedMachine): readonly NamedResource[] {
  const resource = parseResourceId(id);
  if (resource === undefined) return [];
  const computerName = properties.osProfile?.computerName?.toLowerCase();
  const ownName = resource.scaleSet === undefined ? [resource.name.toLowerCase()] : [];
  return [{ resource, names: computerName === undefined ? ownName : [computerName, ...ownName] }];
}

const scaleSetIdPattern =
  /^\/subscriptions\/[\w-]{1,64}\/resourceGroups\/[\p{L}\p{N}_().-]{1,90}\/providers\/Microsoft\.Compute\/virtualMachineScaleSets\/[\w.-]{1,64}$/iu;
/** A machine of a uniform scale set is named by its prefix and so many characters. */
const suffixCharacters = 6;

/** Only the uniform sets that one of the nodes may be in: each has a list of its own. */
function scaleSetsFor(nodes: readonly NodeFacts[], scaleSets: readonly NamedScaleSet[]): readonly string[] {
  const lengthOf = (prefix: string): number => prefix.length + suffixCharacters;
  return scaleSets.flatMap(({ id, properties }) => {
    if (!scaleSetIdPattern.test(id)) return [];
    const { orchestrationMode, virtualMachineProfile } = properties;
    const prefix = virtualMachineProfile?.osProfile?.computerNamePrefix?.toLowerCase();
    if (orchestrationMode?.toLowerCase() === 'flexible' || prefix === undefined) return [];
    const isNeeded = nodes.some(
      ({ name }) => name.length === lengthOf(prefix) && name.toLowerCase().startsWith(prefix),
    );
    return isNeeded ? [id] : [];
  });
}

/** The machines by their names in lower case. */
type Machines = ReadonlyMap<string, readonly { readonly resource: MachineResource }[]>;

function lookupOf({ name }: NodeFacts, machines: Machines): MachineNameLookup {
  const found = machines.get(name.toLowerCase()) ?? [];
  const unique = [...new Map(found.map(({ resource }) => [resourceKey(resource), resource])).values()];
  const [resource, ...others] = unique;
  if (resource === undefined) return { status: 'unknown', failure: unknownName(name) };
  if (others.length === 0) return { status: 'found', resource };
  return { status: 'ambiguous', candidates: unique.map(formatProviderId).toSorted() };
}

export function unknownName(name: string): Failure {
  return new Failure('not-found', `there is no machine with the name ${name} in this scope`, {
    remedy: "start the kubelet with --provider-id, or let the node's name be the name in the machine's system",
  });
}

function unknownSubscription(): Failure {
  return new Failure('misconfigured', 'the subscription of nodes without a providerID is not known', {
    remedy: 'set azure.scopes in the configuration or AZURE_SUBSCRIPTION_ID, or let the agent set the providerIDs',
  });
}

import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { ListCache } from '../../../lib/list-cache.ts';
import type { LookupRequest, LookupResult, NodeFacts, NodeUid } from '../../cloud.ts';
import { parseProviderId, placeKey } from '../provider-id.ts';
import type { InstancePlace } from '../provider-id.ts';
import { createInstanceReader } from './by-id.ts';
import type { InstanceReader, PlaceLookup } from './by-id.ts';
import { lookUpByName } from './by-name.ts';
import { directMax, lookUpPlaces } from './by-place.ts';
import type { WantedPlace } from './by-place.ts';
import type { InstanceList } from './list.ts';
import { lookupResultOf, noInstance } from './lookup-result.ts';
import type { ProjectSession } from './project-session.ts';

export interface GcpLookupDeps {
  readonly session: ProjectSession;
  readonly lists: ListCache<InstanceList>;
  readonly context: Context;
}

type Results = ReadonlyMap<NodeUid, LookupResult>;

/** Most instances are found in a list of the whole project. Few are looked up one by one. */
export async function lookUpNodes({ nodes, verify }: LookupRequest, deps: GcpLookupDeps): Promise<Results> {
  const project = await deps.session.projectId(deps.context);
  const reader = createInstanceReader(deps.session, deps.context);
  const wanted = wantedPlaces(nodes, project);
  const getList = (): Promise<InstanceList | Failure> => listOrFailure(deps);
  const list = needsList(nodes, wanted, deps) ? await getList() : undefined;
  const lookups = await lookUpPlaces([...wanted.values()], { reader, list, getList });
  const isAnswered = reader.answerCount() > 0 || (list !== undefined && !(list instanceof Failure));
  const failure = list instanceof Failure ? list : firstFailure(lookups.values());
  if (!isAnswered && failure !== undefined) throw failure;
  const results = new Map(nodes.map((node) => [node.uid, resultFor(node, wanted.get(node.uid), { lookups, list })]));
  const isAnyGone = nodes.some((node) => canLeadToDeletion(node, results.get(node.uid)));
  return isAnyGone ? new Map([...results, ...(await verifyNodes(verify, project, reader))]) : results;
}

/** Of the nodes whose providerID names an instance of the project. */
function wantedPlaces(nodes: readonly NodeFacts[], project: string): ReadonlyMap<NodeUid, WantedPlace> {
  return new Map(
    nodes.flatMap(({ uid, providerId = '', instanceId }) => {
      const parsed = parseProviderId(providerId);
      if (parsed.is !== 'instance' || parsed.project !== project) return [];
      return [[uid, { place: parsed, instanceId }] as const];
    }),
  );
}

function needsList(
  nodes: readonly NodeFacts[],
  wanted: ReadonlyMap<NodeUid, WantedPlace>,
  { lists }: GcpLookupDeps,
): boolean {
  return nodes.some(isNameless) || wanted.size > Math.max(directMax, lists.pageCount());
}

function isNameless({ providerId }: NodeFacts): boolean {
  return providerId === undefined || providerId === '';
}

async function listOrFailure({ lists, context }: GcpLookupDeps): Promise<InstanceList | Failure> {
  try {
    return await lists.get(context);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

interface GcpLookupData {
  readonly lookups: ReadonlyMap<string, PlaceLookup>;
  readonly list: InstanceList | Failure | undefined;
}

function resultFor(node: NodeFacts, wanted: WantedPlace | undefined, { lookups, list }: GcpLookupData): LookupResult {
  if (isNameless(node)) return lookupResultOf(lookUpByName(node, list), node);
  const lookup = wanted && lookups.get(placeKey(wanted.place));
  return lookup === undefined ? { status: 'unknown', failure: noInstance(node) } : lookupResultOf(lookup, node);
}

function canLeadToDeletion({ instanceId }: NodeFacts, result: LookupResult | undefined): boolean {
  if (result === undefined) return false;
  if (result.status === 'not-found' || result.status === 'terminated') return true;
  return 'instance' in result && instanceId !== undefined && result.instance.instanceId !== instanceId;
}

/** After the others, by the same kind of request. */
async function verifyNodes(verify: readonly NodeFacts[], project: string, reader: InstanceReader): Promise<Results> {
  const wanted = wantedPlaces(verify, project);
  const places: readonly InstancePlace[] = [...wanted.values()].map(({ place }) => place);
  const lookups = await reader.readAll(places);
  const known = verify.filter(({ uid }) => wanted.has(uid));
  return new Map(known.map((node) => [node.uid, resultFor(node, wanted.get(node.uid), { lookups, list: undefined })]));
}

function firstFailure(lookups: Iterable<PlaceLookup>): Failure | undefined {
  for (const lookup of lookups) {
    if (lookup.status === 'unknown') return lookup.failure;
  }
  return undefined;
}

import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { LookupRequest, LookupResult, NodeFacts, NodeUid } from '../../cloud.ts';
import { keys } from '../../../schemas/keys.ts';
import type { VsphereConfig } from '../../../schemas/config/vsphere.ts';
import { parseProviderId } from '../provider-id.ts';
import { lookUpByFacts, lookUpByProviderId } from './by-id.ts';
import type { SearchPlaces } from './by-id.ts';
import { lookupResultOf } from './lookup-result.ts';
import { oneOf } from './one-of.ts';
import type { VmLookup } from './one-of.ts';
import { createVmSearch } from './search.ts';
import type { VmHit, VmSearch } from './search.ts';
import { readSurroundings } from './surroundings.ts';
import type { Vcenter } from './vcenter.ts';

export interface VsphereLookupDeps {
  readonly home: Vcenter;
  /** The other vCenters of the configuration. */
  readonly others: readonly Vcenter[];
  readonly config: VsphereConfig;
  readonly context: Context;
}

type Results = ReadonlyMap<NodeUid, LookupResult>;

/** So few are looked up one by one, as that is more exact than a list, and cheaper in a large vCenter. */
const directMax = 5;
/**
 * So many are asked for one by one if the lists do not have them. With both byte orders that takes the rate limiter's
 * first 50 calls and 6 s, of the 30 s that a look-up has.
 */
const missingMax = 40;

export async function lookUpNodes({ nodes, verify }: LookupRequest, deps: VsphereLookupDeps): Promise<Results> {
  const search = createVmSearch(deps.context);
  const usesLists = nodes.length > directMax;
  // Without the list of its own vCenter a look-up of many would be a question for each.
  if (usesLists) await search.list(deps.home);
  const missing = new Set<NodeUid>();
  const found = await Promise.all(
    shuffled(nodes, deps.context).map(async (node) => {
      const places = { ...placesOf(node, deps), usesLists, mayAsk: ticketOf(missing, node) };
      return [node, await withoutThrow(lookUpNode(node, places, search))] as const;
    }),
  );
  const lookups = new Map(found);
  const failure = [...lookups.values()].find((lookup) => lookup.status === 'unknown')?.failure;
  if (search.answerCount() === 0 && failure !== undefined) throw failure;
  const results = await toResults(lookups, deps);
  const isAnyGone = [...results.values()].some(({ status }) => status === 'not-found');
  return isAnyGone ? new Map([...results, ...(await verifyNodes(verify, deps, search))]) : results;
}

/** If many are missing, each look-up asks for others. */
function shuffled(nodes: readonly NodeFacts[], { random }: Context): readonly NodeFacts[] {
  const ordered = nodes.map((node) => ({ node, at: random() })).toSorted((a, b) => a.at - b.at);
  return ordered.map(({ node }) => node);
}

function ticketOf(missing: Set<NodeUid>, { uid }: NodeFacts): () => boolean {
  return () => missing.has(uid) || (missing.size < missingMax && missing.add(uid).has(uid));
}

function placesOf(
  { labels }: NodeFacts,
  { home, others }: VsphereLookupDeps,
): Pick<SearchPlaces, 'home' | 'others' | 'isAtHome'> {
  return { home, others, isAtHome: others.length === 0 || labels[keys.vsphereVcenter] === home.name };
}

function lookUpNode(node: NodeFacts, places: SearchPlaces, search: VmSearch): Promise<VmLookup> {
  const parsed = parseProviderId(node.providerId ?? '');
  if (parsed.is === 'instance') return lookUpByProviderId(parsed.uuid, node, places, search);
  return lookUpByFacts(node, places, search);
}

async function withoutThrow(lookup: Promise<VmLookup>): Promise<VmLookup> {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof Failure) return { status: 'unknown', failure: error };
    throw error;
  }
}

async function toResults(
  lookups: ReadonlyMap<NodeFacts, VmLookup>,
  { config, context }: VsphereLookupDeps,
): Promise<Results> {
  const hits = [...lookups.values()].flatMap((lookup) => (lookup.status === 'found' ? [lookup.hit] : []));
  const perVcenter = [...Map.groupBy(hits, ({ vcenter }) => vcenter)].map(async ([vcenter, ofVcenter]) => {
    const vms = ofVcenter.map(({ vm }) => vm);
    return [vcenter, await readSurroundings(vms, vcenter, config, context)] as const;
  });
  const surroundings = new Map(await Promise.all(perVcenter));
  const resultOf = (node: NodeFacts, hit: VmHit): LookupResult => {
    const ofVm = surroundings.get(hit.vcenter)?.get(hit.vm.ref.id) ?? { place: {}, staticAddresses: [] };
    return lookupResultOf(hit, node, ofVm, config);
  };
  return new Map(
    [...lookups].map(([node, lookup]) => [node.uid, lookup.status === 'found' ? resultOf(node, lookup.hit) : lookup]),
  );
}

/** After the others, at home, by the same kind of question. */
async function verifyNodes(
  verify: readonly NodeFacts[],
  { home, config }: VsphereLookupDeps,
  search: VmSearch,
): Promise<Results> {
  const results = verify.map(async (node): Promise<readonly (readonly [NodeUid, LookupResult])[]> => {
    const parsed = parseProviderId(node.providerId ?? '');
    if (parsed.is !== 'instance') return [];
    const lookup = await withoutThrow(search.byUuid(home, parsed.uuid).then((hits) => oneOf(hits, undefined)));
    if (lookup.status !== 'found') return [[node.uid, lookup]];
    return [[node.uid, lookupResultOf(lookup.hit, node, { place: {}, staticAddresses: [] }, config)]];
  });
  return new Map((await Promise.all(results)).flat());
}

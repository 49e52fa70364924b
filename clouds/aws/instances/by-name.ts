import { Failure } from '../../../lib/failure.ts';
import type { DescribedInstance } from '../instance.ts';
import type { LookupResult } from '../../cloud.ts';
import type { DescribeResult, Filters } from './describe.ts';
import type { DescribedLookup } from './lookup-result.ts';
import { filterValuesMax, inChunks } from './by-id.ts';

/**
 * The result for one name. A name that no instance has is no evidence about any instance, so it never means
 * "not-found".
 */
export type NameLookup = DescribedLookup | Exclude<LookupResult, FoundOrGone>;
type FoundOrGone = { readonly instance: unknown } | { readonly evidence: string };

/** A terminated instance keeps its name for a while, but it is not the instance with that name now. */
const aliveStates = ['pending', 'running', 'shutting-down', 'stopping', 'stopped'];

/** By private DNS names: the kubelet names the Node after the host. */
export async function lookUpByNames(
  names: readonly string[],
  byFilter: (filters: Filters) => Promise<DescribeResult>,
): Promise<ReadonlyMap<string, NameLookup>> {
  const chunks = inChunks([...new Set(names)], filterValuesMax);
  const perChunk = await Promise.all(chunks.map((chunk) => lookUpChunk(chunk, byFilter)));
  return new Map(perChunk.flat());
}

type Entry = readonly [name: string, verdict: NameLookup];

async function lookUpChunk(
  names: readonly string[],
  byFilter: (filters: Filters) => Promise<DescribeResult>,
): Promise<readonly Entry[]> {
  try {
    const described = await byFilter({ 'private-dns-name': names, 'instance-state-name': aliveStates });
    if (described.is === 'bad-ids') throw described.failure;
    const byName = Map.groupBy(described.instances, ({ privateDnsName }) => privateDnsName);
    return names.map((name) => [name, lookupOf(name, byName.get(name) ?? [], described.target)]);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return names.map((name) => [name, { status: 'unknown', failure: error }]);
  }
}

function lookupOf(name: string, found: readonly DescribedInstance[], target: string): NameLookup {
  const [instance, ...others] = found;
  if (instance === undefined) return { status: 'unknown', failure: unknownName(name, target) };
  if (others.length === 0) return { status: 'described', instance, by: 'list' };
  return { status: 'ambiguous', candidates: found.map(({ instanceId }) => instanceId).toSorted() };
}

function unknownName(name: string, target: string): Failure {
  return new Failure('not-found', `${target} has no instance whose private DNS name is ${name}`, {
    remedy: "start the kubelet with --provider-id, or let the node's name be its private DNS name",
  });
}

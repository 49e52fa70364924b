import { Failure } from '../../../lib/failure.ts';
import type { NetworkReason } from '../../../lib/http/network-error.ts';
import { NetworkError } from '../../../lib/http/network-error.ts';
import type { LookupResult } from '../../cloud.ts';
import type { DescribeResult } from './describe.ts';
import type { DescribedLookup } from './lookup-result.ts';

/** The result for one id. */
export type IdLookup = DescribedLookup | GoneResult | UnknownResult;
type GoneResult = Extract<LookupResult, { readonly evidence: string }>;
type UnknownResult = Extract<LookupResult, { readonly failure: Failure }>;

export interface LookupId {
  readonly instanceId: string;
  /** Of the providerID. */
  readonly zone: string | undefined;
}

/** The two ways to ask EC2 for ids. */
export interface IdQueries {
  /** Exact: reports ids that do not exist, by refusing the whole request. */
  byIds(instanceIds: readonly string[]): Promise<DescribeResult>;
  /** Leaves out what does not exist. */
  byFilter(instanceIds: readonly string[]): Promise<DescribeResult>;
}

/** After this many refusals of one batch the rest is looked up by filter, which is never refused. */
const refusalsMax = 5;
/** The most values of a filter in EC2. */
export const filterValuesMax = 200;

/**
 * A result for every id, whatever is wrong with the others: the ids that EC2 refuses the whole request for are taken
 * out and the rest is looked up again. If one of several zones fails, each is looked up alone. If a response is too
 * large, the ids are halved.
 */
export async function lookUpByIds(
  ids: readonly LookupId[],
  queries: IdQueries,
): Promise<ReadonlyMap<string, IdLookup>> {
  const lookups = new Map<string, IdLookup>();
  const unique = new Map(ids.map((each) => [each.instanceId, each]));
  if (unique.size > 0) await query([...unique.values()], { queries, lookups, refusalsLeft: refusalsMax });
  return lookups;
}

interface Search {
  readonly queries: IdQueries;
  readonly lookups: Map<string, IdLookup>;
  /** 0: only by filter. */
  readonly refusalsLeft: number;
}

async function query(ids: readonly LookupId[], search: Search): Promise<void> {
  const { queries, refusalsLeft } = search;
  const instanceIds = ids.map(({ instanceId }) => instanceId);
  const isExact = refusalsLeft > 0;
  const described = await attempt(() => (isExact ? queries.byIds(instanceIds) : queries.byFilter(instanceIds)));
  if (described instanceof Failure) await queryInParts(ids, described, search);
  else if (described.is === 'instances') recordInstances(instanceIds, described, search);
  else if (isExact) await queryWithoutRefused(ids, described, search);
  else markUnknown(ids, described.failure, search);
}

/** The named ids have their result now; the rest is looked up again. */
async function queryWithoutRefused(
  ids: readonly LookupId[],
  refusal: DescribeResult & { is: 'bad-ids' },
  search: Search,
): Promise<void> {
  const named = idsIn(refusal.evidence);
  const rest = ids.filter(({ instanceId }) => !named.has(instanceId));
  for (const { instanceId } of ids) {
    if (named.has(instanceId)) search.lookups.set(instanceId, lookupFromRefusal(refusal));
  }
  if (rest.length === 0) return;
  const refusalsLeft = rest.length < ids.length ? search.refusalsLeft - 1 : 0;
  const chunks = refusalsLeft > 0 ? [rest] : inChunks(rest, filterValuesMax);
  await Promise.all(chunks.map((chunk) => query(chunk, { ...search, refusalsLeft })));
}

/** "The instance IDs 'i-1, i-2' do not exist": whole words, so that no id matches the beginning of another. */
function idsIn(evidence: string): ReadonlySet<string> {
  return new Set(evidence.match(/[\w-]+/g));
}

function lookupFromRefusal({ reason, evidence, failure }: DescribeResult & { is: 'bad-ids' }): IdLookup {
  return reason === 'not-found' ? { status: 'not-found', evidence } : { status: 'unknown', failure };
}

async function queryInParts(ids: readonly LookupId[], failure: Failure, search: Search): Promise<void> {
  const parts = partsFor(ids, failure);
  if (parts.length === 1) markUnknown(ids, failure, search);
  else await Promise.all(parts.map((part) => query(part, search)));
}

function markUnknown(ids: readonly LookupId[], failure: Failure, { lookups }: Search): void {
  for (const { instanceId } of ids) lookups.set(instanceId, { status: 'unknown', failure });
}

/** One part: a smaller request would not help. */
function partsFor(ids: readonly LookupId[], failure: Failure): readonly (readonly LookupId[])[] {
  const reason = reasonOf(failure);
  if (reason === 'too-large') return halves(ids);
  // An unreachable region is unreachable for each zone. An error or a timeout may come from one zone only.
  const zoneIsToBlame = failure.kind === 'unavailable' && (reason === undefined || reason === 'timeout');
  return zoneIsToBlame ? [...Map.groupBy(ids, ({ zone }) => zone).values()] : [ids];
}

function reasonOf({ cause }: Failure): NetworkReason | undefined {
  return cause instanceof NetworkError ? cause.reason : undefined;
}

function halves(ids: readonly LookupId[]): readonly (readonly LookupId[])[] {
  const middle = Math.ceil(ids.length / 2);
  return [ids.slice(0, middle), ids.slice(middle)].filter((half) => half.length > 0);
}

/** An id that is missing in a response is unknown: EC2 leaves out the instances of other accounts. */
function recordInstances(
  instanceIds: readonly string[],
  { instances, target }: DescribeResult & { is: 'instances' },
  search: Search,
): void {
  const byId = new Map(instances.map((instance) => [instance.instanceId, instance]));
  for (const instanceId of instanceIds) {
    const instance = byId.get(instanceId);
    const lookup: IdLookup =
      instance === undefined
        ? { status: 'unknown', failure: omittedFailure(instanceId, target) }
        : { status: 'described', instance, by: search.refusalsLeft > 0 ? 'id' : 'list' };
    search.lookups.set(instanceId, lookup);
  }
}

function omittedFailure(instanceId: string, target: string): Failure {
  return new Failure('unavailable', `${target} left ${instanceId} out of its answer`, {
    remedy: 'if this stays, check that the instance belongs to the account that is asked',
  });
}

async function attempt(send: () => Promise<DescribeResult>): Promise<DescribeResult | Failure> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

export function inChunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_each, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

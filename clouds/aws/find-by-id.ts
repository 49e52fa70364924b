import { Failure } from '../../lib/failure.ts';
import type { NetworkReason } from '../../lib/http/network-error.ts';
import { NetworkError } from '../../lib/http/network-error.ts';
import type { DescribedInstance } from './described-instance.ts';
import type { Described } from './describe-instances.ts';

/** What was learnt of one id. */
export type Verdict =
  | { readonly is: 'described'; readonly instance: DescribedInstance }
  | { readonly is: 'not-found'; readonly quote: string }
  | { readonly is: 'unknown'; readonly failure: Failure };

export interface AskedId {
  readonly instanceId: string;
  /** Of the providerID. */
  readonly zone: string | undefined;
}

/** The two ways to ask EC2 for ids. */
export interface IdQuestions {
  /** Exact: says of ids that they do not exist, by refusing the whole question. */
  byIds(instanceIds: readonly string[]): Promise<Described>;
  /** Leaves out what does not exist, and says nothing about it. */
  byFilter(instanceIds: readonly string[]): Promise<Described>;
}

/** Further refusals for ids in one question are not waited for: the rest is asked by filter, which is never refused. */
const refusalsMax = 5;
/** The most values that a filter of EC2 takes. */
export const filterValuesMax = 200;

/**
 * A verdict for every id, whatever is wrong with its neighbours: ids that EC2 refuses the whole question for are taken
 * out and the rest asked again; where a zone of several is broken, each is asked by itself; what is too large is halved.
 */
export async function findByIds(
  asked: readonly AskedId[],
  questions: IdQuestions,
): Promise<ReadonlyMap<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  const unique = new Map(asked.map((each) => [each.instanceId, each]));
  if (unique.size > 0) await ask([...unique.values()], { questions, verdicts, refusalsLeft: refusalsMax });
  return verdicts;
}

interface Search {
  readonly questions: IdQuestions;
  readonly verdicts: Map<string, Verdict>;
  /** None: only by filter. */
  readonly refusalsLeft: number;
}

async function ask(asked: readonly AskedId[], search: Search): Promise<void> {
  const { questions, refusalsLeft } = search;
  const instanceIds = asked.map(({ instanceId }) => instanceId);
  const isExact = refusalsLeft > 0;
  const described = await attempt(() => (isExact ? questions.byIds(instanceIds) : questions.byFilter(instanceIds)));
  if (described instanceof Failure) await askInParts(asked, described, search);
  else if (described.is === 'instances') take(instanceIds, described, search);
  else if (isExact) await askWithout(asked, described, search);
  else settle(asked, described.failure, search);
}

/** Those that were named have their verdict now; the rest is asked again. */
async function askWithout(
  asked: readonly AskedId[],
  refusal: Described & { is: 'bad-ids' },
  search: Search,
): Promise<void> {
  const named = namedIn(refusal.quote);
  const rest = asked.filter(({ instanceId }) => !named.has(instanceId));
  for (const { instanceId } of asked) {
    if (named.has(instanceId)) search.verdicts.set(instanceId, verdictOn(refusal));
  }
  if (rest.length === 0) return;
  const refusalsLeft = rest.length < asked.length ? search.refusalsLeft - 1 : 0;
  const chunks = refusalsLeft > 0 ? [rest] : inChunks(rest, filterValuesMax);
  await Promise.all(chunks.map((chunk) => ask(chunk, { ...search, refusalsLeft })));
}

/** "The instance IDs 'i-1, i-2' do not exist": whole words, so that no id is taken for the beginning of another. */
function namedIn(quote: string): ReadonlySet<string> {
  return new Set(quote.match(/[\w-]+/g));
}

function verdictOn({ word, quote, failure }: Described & { is: 'bad-ids' }): Verdict {
  return word === 'not-found' ? { is: 'not-found', quote } : { is: 'unknown', failure };
}

async function askInParts(asked: readonly AskedId[], failure: Failure, search: Search): Promise<void> {
  const parts = partsFor(asked, failure);
  if (parts.length === 1) settle(asked, failure, search);
  else await Promise.all(parts.map((part) => ask(part, search)));
}

function settle(asked: readonly AskedId[], failure: Failure, { verdicts }: Search): void {
  for (const { instanceId } of asked) verdicts.set(instanceId, { is: 'unknown', failure });
}

/** One part: nothing is gained by asking for less. */
function partsFor(asked: readonly AskedId[], failure: Failure): readonly (readonly AskedId[])[] {
  const reason = reasonOf(failure);
  if (reason === 'too-large') return halves(asked);
  // A region out of reach is so for each zone; one that answers in error, or too late, may do so for one zone's sake.
  const zoneIsToBlame = failure.kind === 'unavailable' && (reason === undefined || reason === 'timeout');
  return zoneIsToBlame ? [...Map.groupBy(asked, ({ zone }) => zone).values()] : [asked];
}

function reasonOf({ cause }: Failure): NetworkReason | undefined {
  return cause instanceof NetworkError ? cause.reason : undefined;
}

function halves(asked: readonly AskedId[]): readonly (readonly AskedId[])[] {
  const middle = Math.ceil(asked.length / 2);
  return [asked.slice(0, middle), asked.slice(middle)].filter((half) => half.length > 0);
}

/** What is left out of an answer is unknown: EC2 does so with the instances of other accounts. */
function take(
  instanceIds: readonly string[],
  { instances, whom }: Described & { is: 'instances' },
  search: Search,
): void {
  const byId = new Map(instances.map((instance) => [instance.instanceId, instance]));
  for (const instanceId of instanceIds) {
    const instance = byId.get(instanceId);
    const verdict: Verdict =
      instance === undefined ? { is: 'unknown', failure: leftOut(instanceId, whom) } : { is: 'described', instance };
    search.verdicts.set(instanceId, verdict);
  }
}

function leftOut(instanceId: string, whom: string): Failure {
  return new Failure('unavailable', `${whom} left ${instanceId} out of its answer`, {
    remedy: 'if this stays, check that the instance belongs to the account that is asked',
  });
}

async function attempt(question: () => Promise<Described>): Promise<Described | Failure> {
  try {
    return await question();
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

import { Failure } from '../../../lib/failure.ts';
import type { LookupRequest, LookupResult, Instance, NodeFacts, NodeUid } from '../../cloud.ts';
import type { Context } from '../../../lib/context.ts';
import type { AccountSession } from './account-session.ts';
import type { IpFamily } from '../../../schemas/config/aws.ts';
import { describeFiltered, describeIds } from './describe.ts';
import type { DescribeResult } from './describe.ts';
import { lookUpByIds } from './by-id.ts';
import type { IdLookup, LookupId } from './by-id.ts';
import { lookUpByNames } from './by-name.ts';
import type { NameLookup } from './by-name.ts';
import { familiesOf } from '../instance.ts';
import { lookupResultOf } from './lookup-result.ts';
import type { IdSource } from './lookup-result.ts';
import type { TopologyLabels } from './topology-labels.ts';
import { parseProviderId } from '../provider-id.ts';

export interface LookupDeps {
  readonly session: AccountSession;
  readonly layers: TopologyLabels;
  readonly families: readonly IpFamily[];
  readonly context: Context;
  /** Called for each instance that was found by a node's own id: its owner is the account of our nodes. */
  recordOwner(ownerId: string): void;
}

/** What a node is looked up by. */
type LookupKey =
  | ({ readonly by: 'id'; readonly idSource: IdSource } & LookupId)
  | { readonly by: 'name' }
  | { readonly by: 'nothing' };

type Results = ReadonlyMap<NodeUid, LookupResult>;

export async function lookUpNodes({ nodes, verify }: LookupRequest, deps: LookupDeps): Promise<Results> {
  const { results, failure } = await lookUpEach(nodes, deps);
  if (failure !== undefined) throw failure;
  const isAnyGone = [...results.values()].some(({ status }) => status === 'not-found' || status === 'terminated');
  return isAnyGone ? new Map([...results, ...(await lookUpVerify(verify, deps))]) : results;
}

/** Without a result if the time of the look-up ends: the results of `nodes` are not lost for it. */
async function lookUpVerify(verify: readonly NodeFacts[], deps: LookupDeps): Promise<Results> {
  try {
    return (await lookUpEach(verify, deps)).results;
  } catch (error) {
    if (!deps.context.signal.aborted) throw error;
    return new Map();
  }
}

interface EachResult {
  readonly results: Results;
  /** Present if no request succeeded. */
  readonly failure: Failure | undefined;
}

async function lookUpEach(nodes: readonly NodeFacts[], deps: LookupDeps): Promise<EachResult> {
  const keys = new Map(nodes.map((node) => [node, lookupKeyOf(node)]));
  const ids = [...keys.values()].filter((each) => each.by === 'id');
  const names = nodes.filter((node) => keys.get(node)?.by === 'name').map(({ name }) => name);
  const queries = countResponses(deps);
  const [byId, byName] = await Promise.all([lookUpByIds(ids, queries), lookUpByNames(names, queries.byFilters)]);
  const failure = queries.responseCount() === 0 ? firstFailure([...byId.values(), ...byName.values()]) : undefined;
  const layers = await layersOf([...byId.values(), ...byName.values()], deps);
  const data = { byId, byName, layers, deps };
  return { results: new Map(nodes.map((node) => [node.uid, resultFor(node, keys.get(node), data)])), failure };
}

function layersOf(
  lookups: readonly (IdLookup | NameLookup)[],
  { layers, context }: LookupDeps,
): Promise<LookupData['layers']> {
  const described = lookups.flatMap((lookup) => (lookup.status === 'described' ? [lookup.instance] : []));
  return layers.labelsByInstanceId(described, context);
}

/**
 * A name by resource begins with the instance's id.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/hostname-types.html
 */
const resourceName = /^(?<instanceId>i-[0-9a-f]{8,17})(?:\.|$)/;

function lookupKeyOf({ providerId, name }: NodeFacts): LookupKey {
  if (providerId === undefined || providerId === '') {
    const instanceId = resourceName.exec(name)?.groups?.['instanceId'];
    return instanceId === undefined ? { by: 'name' } : { by: 'id', idSource: 'name', instanceId, zone: undefined };
  }
  const parsed = parseProviderId(providerId);
  if (parsed.is !== 'instance') return { by: 'nothing' };
  return { by: 'id', idSource: 'provider-id', instanceId: parsed.instanceId, zone: parsed.zone };
}

interface CountedQueries {
  byIds(instanceIds: readonly string[]): Promise<DescribeResult>;
  byFilter(instanceIds: readonly string[]): Promise<DescribeResult>;
  byFilters(filters: Readonly<Record<string, readonly string[]>>): Promise<DescribeResult>;
  responseCount(): number;
}

function countResponses({ session, context }: LookupDeps): CountedQueries {
  let responses = 0;
  async function counted(pending: Promise<DescribeResult>): Promise<DescribeResult> {
    const described = await pending;
    responses += 1;
    return described;
  }
  return {
    byIds: (ids) => counted(describeIds(session, ids, context)),
    byFilter: (ids) => counted(describeFiltered(session, { 'instance-id': ids }, context)),
    byFilters: (filters) => counted(describeFiltered(session, filters, context)),
    responseCount: () => responses,
  };
}

function firstFailure(lookups: readonly (IdLookup | NameLookup)[]): Failure | undefined {
  return lookups.find((lookup) => lookup.status === 'unknown')?.failure;
}

interface LookupData {
  readonly byId: ReadonlyMap<string, IdLookup>;
  readonly byName: ReadonlyMap<string, NameLookup>;
  readonly layers: Awaited<ReturnType<TopologyLabels['labelsByInstanceId']>>;
  readonly deps: LookupDeps;
}

function resultFor(
  node: NodeFacts,
  key: LookupKey | undefined,
  { byId, byName, layers, deps }: LookupData,
): LookupResult {
  if (key === undefined || key.by === 'nothing') return { status: 'unknown', failure: noInstance(node) };
  const lookup = key.by === 'id' ? byId.get(key.instanceId) : byName.get(node.name);
  const idSource = key.by === 'id' ? key.idSource : 'name';
  if (lookup === undefined) return { status: 'unknown', failure: noInstance(node) };
  if (lookup.status === 'not-found') return notFound(lookup.evidence, idSource, node);
  if (lookup.status !== 'described') return lookup;
  if (idSource === 'provider-id') deps.recordOwner(lookup.instance.ownerId);
  return withLabels(
    lookupResultOf(lookup, node, idSource, familiesOf(deps.families, node)),
    layers.get(lookup.instance.instanceId),
  );
}

function withLabels(result: LookupResult, labels: Instance['labels'] | undefined): LookupResult {
  if (!('instance' in result) || labels === undefined) return result;
  return { ...result, instance: { ...result.instance, labels: { ...result.instance.labels, ...labels } } };
}

function notFound(evidence: string, idSource: IdSource, { name }: NodeFacts): LookupResult {
  if (idSource === 'provider-id') return { status: 'not-found', evidence };
  const failure = new Failure('not-found', `there is no instance for the name ${name} (${evidence})`, {
    remedy: "start the kubelet with --provider-id, or let the node's name be its private DNS name",
  });
  return { status: 'unknown', failure };
}

function noInstance({ name, providerId }: NodeFacts): Failure {
  return new Failure('misconfigured', `the providerID of ${name} names no instance of AWS: ${providerId ?? ''}`, {
    remedy: 'correct it (aws:///<zone>/<instance id>) by registering the node again',
  });
}

import { Failure } from '../../lib/failure.ts';
import type { Context, Finding, Instance, NodeFacts, NodeUid } from '../cloud.ts';
import type { AccountSession } from './account-session.ts';
import type { IpFamily } from './config.ts';
import { describeFiltered, describeIds } from './describe-instances.ts';
import type { Described } from './describe-instances.ts';
import { findByIds } from './find-by-id.ts';
import type { AskedId, Verdict } from './find-by-id.ts';
import { findByNames } from './find-by-name.ts';
import type { NameVerdict } from './find-by-name.ts';
import { familiesOf } from './instance-addresses.ts';
import { findingOf } from './instance-findings.ts';
import type { AskedBy } from './instance-findings.ts';
import type { NetworkLayers } from './network-layers.ts';
import { parseProviderId } from './provider-id.ts';

export interface Looking {
  readonly session: AccountSession;
  readonly layers: NetworkLayers;
  readonly families: readonly IpFamily[];
  readonly context: Context;
  /** Told for each instance that was found by the very id that a node has: its owner is the account of our nodes. */
  learnOwner(ownerId: string): void;
}

/** What a node is asked for by. */
type Wanted =
  ({ readonly by: 'id'; readonly how: AskedBy } & AskedId) | { readonly by: 'name' } | { readonly by: 'nothing' };

export async function lookAt(nodes: readonly NodeFacts[], looking: Looking): Promise<ReadonlyMap<NodeUid, Finding>> {
  const wanted = new Map(nodes.map((node) => [node, wantedOf(node)]));
  const ids = [...wanted.values()].filter((each) => each.by === 'id');
  const names = nodes.filter((node) => wanted.get(node)?.by === 'name').map(({ name }) => name);
  const asking = countAnswers(looking);
  const [byId, byName] = await Promise.all([findByIds(ids, asking), findByNames(names, asking.filtered)]);
  if (asking.answers() === 0) throwFirstFailure([...byId.values(), ...byName.values()]);
  const layers = await layersOf([...byId.values(), ...byName.values()], looking);
  return new Map(nodes.map((node) => [node.uid, finding(node, wanted.get(node), { byId, byName, layers, looking })]));
}

function layersOf(
  verdicts: readonly (Verdict | NameVerdict)[],
  { layers, context }: Looking,
): Promise<Found['layers']> {
  const described = verdicts.flatMap((verdict) => (verdict.is === 'described' ? [verdict.instance] : []));
  return layers.labelsOf(described, context);
}

/** A name by resource begins with the instance's id. https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/hostname-types.html */
const resourceName = /^(?<instanceId>i-[0-9a-f]{8,17})(?:\.|$)/;

function wantedOf({ providerId, name }: NodeFacts): Wanted {
  if (providerId === undefined || providerId === '') {
    const instanceId = resourceName.exec(name)?.groups?.['instanceId'];
    return instanceId === undefined ? { by: 'name' } : { by: 'id', how: 'name', instanceId, zone: undefined };
  }
  const parsed = parseProviderId(providerId);
  if (parsed.is !== 'instance') return { by: 'nothing' };
  return { by: 'id', how: 'provider-id', instanceId: parsed.instanceId, zone: parsed.zone };
}

interface Asking {
  byIds(instanceIds: readonly string[]): Promise<Described>;
  byFilter(instanceIds: readonly string[]): Promise<Described>;
  filtered(filters: Readonly<Record<string, readonly string[]>>): Promise<Described>;
  answers(): number;
}

function countAnswers({ session, context }: Looking): Asking {
  let answers = 0;
  async function counted(question: Promise<Described>): Promise<Described> {
    const described = await question;
    answers += 1;
    return described;
  }
  return {
    byIds: (ids) => counted(describeIds(session, ids, context)),
    byFilter: (ids) => counted(describeFiltered(session, { 'instance-id': ids }, context)),
    filtered: (filters) => counted(describeFiltered(session, filters, context)),
    answers: () => answers,
  };
}

function throwFirstFailure(verdicts: readonly (Verdict | NameVerdict)[]): void {
  for (const verdict of verdicts) {
    if (verdict.is === 'unknown') throw verdict.failure;
  }
}

interface Found {
  readonly byId: ReadonlyMap<string, Verdict>;
  readonly byName: ReadonlyMap<string, NameVerdict>;
  readonly layers: Awaited<ReturnType<NetworkLayers['labelsOf']>>;
  readonly looking: Looking;
}

function finding(node: NodeFacts, wanted: Wanted | undefined, { byId, byName, layers, looking }: Found): Finding {
  if (wanted === undefined || wanted.by === 'nothing') return { is: 'unknown', failure: noInstance(node) };
  const verdict = wanted.by === 'id' ? byId.get(wanted.instanceId) : byName.get(node.name);
  const how = wanted.by === 'id' ? wanted.how : 'name';
  if (verdict === undefined) return { is: 'unknown', failure: noInstance(node) };
  if (verdict.is === 'not-found') return notFound(verdict.quote, how, node);
  if (verdict.is !== 'described') return verdict;
  if (how === 'provider-id') looking.learnOwner(verdict.instance.ownerId);
  return withLabels(
    findingOf(verdict.instance, node, how, familiesOf(looking.families, node)),
    layers.get(verdict.instance.instanceId),
  );
}

function withLabels(found: Finding, labels: Instance['labels'] | undefined): Finding {
  if (found.is !== 'present' || labels === undefined) return found;
  return { ...found, instance: { ...found.instance, labels: { ...found.instance.labels, ...labels } } };
}

function notFound(quote: string, how: AskedBy, { name }: NodeFacts): Finding {
  if (how === 'provider-id') return { is: 'gone', word: 'not-found', quote };
  const failure = new Failure('not-found', `there is no instance for the name ${name} (${quote})`, {
    remedy: "start the kubelet with --provider-id, or let the node's name be its private DNS name",
  });
  return { is: 'unknown', failure };
}

function noInstance({ name, providerId }: NodeFacts): Failure {
  return new Failure('misconfigured', `the providerID of ${name} names no instance of AWS: ${providerId ?? ''}`, {
    remedy: 'correct it (aws:///<zone>/<instance id>) by registering the node again',
  });
}

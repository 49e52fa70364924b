import { Failure } from '../../../lib/failure.ts';
import type { LookupRequest, LookupResult, NodeFacts, NodeUid } from '../../cloud.ts';
import { hasZone, toInstance } from '../instance.ts';
import { formatProviderId, parseProviderId, resourceKey } from '../provider-id.ts';
import type { MachineResource } from '../provider-id.ts';
import { findByNames, unknownName } from './by-name.ts';
import type { ByNameDeps, MachineNameLookup } from './by-name.ts';
import type { ListedDocuments, ListedMachines } from './listed-documents.ts';
import { lookUpMachines } from './look-up-machines.ts';
import type { MachinesDeps, SourcedLookup, WantedMachine } from './look-up-machines.ts';

export interface NodeLookupDeps extends ByNameDeps, MachinesDeps {
  readonly lists: ListedDocuments;
  /** Called for each subscription in which a node's own machine was found. */
  recordSubscription(subscriptionId: string): void;
}

type Results = ReadonlyMap<NodeUid, LookupResult>;

/** So many machines are looked up by id. For more, lists take fewer requests. */
const byIdMax = 20;

export async function lookUpNodes({ nodes, verify }: LookupRequest, given: NodeLookupDeps): Promise<Results> {
  const { counted, answerCount } = countAnswers(given);
  const deps = { ...given, ...counted };
  const [withId, byName] = await Promise.all([
    lookUpIdentified(nodes, deps),
    lookUpNamed(
      nodes.filter(({ providerId }) => !providerId),
      deps,
    ),
  ]);
  const results = new Map([...withId, ...byName]);
  const failure = answerCount() === 0 ? failureOfAll(results) : undefined;
  if (failure !== undefined) throw failure;
  const canLeadToDeletion = nodes.some((node) => isSuspicious(results.get(node.uid), node));
  return canLeadToDeletion ? new Map([...results, ...(await lookUpVerify(verify, deps))]) : results;
}

async function lookUpIdentified(nodes: readonly NodeFacts[], deps: NodeLookupDeps): Promise<Results> {
  return lookUpEach(nodes, await readLists(nodes, deps), deps);
}

/** Nodes without a providerID. Their names are in lists. */
async function lookUpNamed(nodes: readonly NodeFacts[], deps: NodeLookupDeps): Promise<Results> {
  if (nodes.length === 0) return new Map();
  const found = await findByNames(nodes, deps);
  const identified = nodes.flatMap((node) => {
    const lookup = found.get(node.uid);
    return lookup?.status === 'found' ? [{ ...node, providerId: formatProviderId(lookup.resource) }] : [];
  });
  // A name does not prove that a subscription is that of our nodes.
  const results = await lookUpIdentified(identified, { ...deps, recordSubscription: () => {} });
  return new Map(nodes.map((node) => [node.uid, namedResult(node, found.get(node.uid), results.get(node.uid))]));
}

function namedResult(
  node: NodeFacts,
  lookup: MachineNameLookup | undefined,
  result: LookupResult | undefined,
): LookupResult {
  if (lookup !== undefined && lookup.status !== 'found') return lookup;
  if (result === undefined) return unroutable(node);
  if ('instance' in result) return { ...result, by: 'list' };
  // It was in a list, and is gone by now.
  return 'evidence' in result ? { status: 'unknown', failure: unknownName(node.name) } : result;
}

interface CountedAnswers {
  readonly counted: Pick<NodeLookupDeps, 'manager' | 'names'>;
  answerCount(): number;
}

function countAnswers({ manager, names }: NodeLookupDeps): CountedAnswers {
  let answers = 0;
  const count = <T>(answer: T): T => {
    answers += 1;
    return answer;
  };
  return {
    answerCount: () => answers,
    counted: {
      manager: {
        get: async (...request) => {
          const response = await manager.get(...request);
          const isAnswer = response.is === 'answer' || !subscriptionCodes.has(response.error.code);
          return isAnswer ? count(response) : response;
        },
        list: async (...request) => count(await manager.list(...request)),
      },
      names: { read: async (...request) => count(await names.read(...request)) },
    },
  };
}

/** A missing group is a matter of its own machines. A missing subscription is one of the scope. */
const subscriptionCodes = new Set(['SubscriptionNotFound', 'InvalidSubscriptionId']);

/** If there is nothing but failures of requests: the one that says how long to wait, or the first. */
function failureOfAll(results: Results): Failure | undefined {
  const all = [...results.values()];
  const failures = all.flatMap((result) => (result.status === 'unknown' ? [result.failure] : []));
  if (failures.length < all.length) return undefined;
  return failures.find(({ kind }) => kind === 'throttled') ?? failures.find((failure) => !localFailures.has(failure));
}

function isSuspicious(result: LookupResult | undefined, { instanceId }: NodeFacts): boolean {
  if (result === undefined || result.status === 'unknown' || result.status === 'ambiguous') return false;
  if (!('instance' in result)) return true;
  return instanceId !== undefined && result.instance.instanceId !== instanceId;
}

/** Without a result if the time of the look-up ends: the results of `nodes` are not lost for it. */
async function lookUpVerify(verify: readonly NodeFacts[], deps: NodeLookupDeps): Promise<Results> {
  try {
    return await lookUpEach(verify, undefined, deps);
  } catch (error) {
    if (!deps.context.signal.aborted) throw error;
    return new Map();
  }
}

/** A list saves requests, and nothing depends on it: without one, each machine is looked up by id. */
async function readLists(nodes: readonly NodeFacts[], deps: NodeLookupDeps): Promise<ListedMachines | undefined> {
  const machines = nodes.flatMap((node) => machineOf(node, deps) ?? []);
  if (machines.length <= byIdMax) return undefined;
  return deps.lists.read(machines, deps.context);
}

async function lookUpEach(
  nodes: readonly NodeFacts[],
  listed: ListedMachines | undefined,
  deps: NodeLookupDeps,
): Promise<Results> {
  const machines = new Map(nodes.map((node) => [node, machineOf(node, deps)]));
  const lookups = await lookUpMachines(wantedMachines(machines), listed, deps);
  return new Map(
    nodes.map((node) => {
      const machine = machines.get(node);
      const lookup = machine && lookups.get(resourceKey(machine));
      return [node.uid, lookup === undefined ? unroutable(node) : resultOf(lookup, node, deps)];
    }),
  );
}

function machineOf({ providerId }: NodeFacts, { includes }: NodeLookupDeps): MachineResource | undefined {
  const parsed = parseProviderId(providerId ?? '');
  return parsed.is === 'machine' && includes(parsed.resource) ? parsed.resource : undefined;
}

/** Each once, in the order of their nodes. */
function wantedMachines(machines: ReadonlyMap<NodeFacts, MachineResource | undefined>): readonly WantedMachine[] {
  const wanted = new Map<string, WantedMachine>();
  for (const [node, resource] of machines) {
    if (resource === undefined) continue;
    const { instanceId, mayBeGone = false } = node;
    const key = resourceKey(resource);
    const isDoubted = wanted.get(key)?.mayBeGone ?? false;
    wanted.set(key, { resource, instanceId, mayBeGone: mayBeGone || isDoubted, hasZone: hasZone(node) });
  }
  return [...wanted.values()];
}

function resultOf(lookup: SourcedLookup, node: NodeFacts, { recordSubscription }: NodeLookupDeps): LookupResult {
  if (lookup.status === 'not-found') return { status: 'not-found', evidence: lookup.evidence };
  if (lookup.status === 'unknown') return { status: 'unknown', failure: lookup.failure };
  recordSubscription(lookup.machine.resource.subscriptionId);
  const instance = toInstance(lookup.machine, node);
  if (lookup.status === 'running' && instance.addresses.length === 0) {
    return { status: 'unknown', failure: noAddress(instance.providerId) };
  }
  const unread = lookup.hasUnreadAddresses ? { unread: ['external-addresses' as const] } : {};
  return { status: lookup.status, by: lookup.by, instance: { ...instance, ...unread } };
}

/** A Node without an address must not be initialised. */
function noAddress(providerId: string): Failure {
  return new Failure('invalid-response', `Azure shows no address of ${providerId} yet`, {
    remedy: 'it should pass; if it stays, look at the interfaces of the machine',
  });
}

/** Failures that no request was sent for. */
const localFailures = new WeakSet<Failure>();

export function unroutable({ name, providerId }: NodeFacts): LookupResult {
  const problem = providerId ? `its providerID is ${providerId.slice(0, 300)}` : 'it has no providerID';
  const failure = new Failure('misconfigured', `${name} cannot be looked up: ${problem}`, {
    remedy:
      'let the agent set it, or start the kubelet with --provider-id; azure.scopes, if set, must have its subscription and resource group',
  });
  localFailures.add(failure);
  return { status: 'unknown', failure };
}

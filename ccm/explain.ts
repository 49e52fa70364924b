import { systemClock } from '../lib/clock.ts';
import { Failure } from '../lib/failure.ts';
import { isKubernetesError } from '../lib/kubernetes/kubernetes-error.ts';
import { leases, nodes } from '../lib/kubernetes/resources.ts';
import type { Node } from '../schemas/kubernetes.ts';
import type { ElectionSettings } from './leader-election/settings.ts';
import { readConfirmation } from './confirmations.ts';
import { observe } from './lifecycle/observe.ts';
import { stateOf } from './lifecycle/observation.ts';
import type { ReportKind } from './lifecycle/report.ts';
import { isFound, isGone } from './lifecycle/result-kinds.ts';
import { createScopeRecord } from './lifecycle/scope.ts';
import type { LifecycleSettings } from './lifecycle/settings.ts';
import { combineLookups } from './node-controller/combine-lookups.ts';
import { lookUpInScope } from './node-controller/look-up.ts';
import type { LookupTarget } from './node-controller/look-up.ts';
import { keys } from '../schemas/keys.ts';
import type { LookupResult } from '../clouds/index.ts';
import { factsOf } from '../lib/node/facts.ts';
import { isReady, isUninitialized } from '../lib/node/read-node.ts';
import { ownershipOf } from './node-controller/ownership.ts';
import type { CloudScope } from './node-controller/ownership.ts';
import { planNode } from '../lib/node/plan.ts';
import { printable } from '../lib/printable.ts';
import type { ControllerRuntime } from './runtime.ts';
import { trimNode } from '../lib/node/trim-node.ts';

/** What would be done with one Node, and why. It looks the Node up itself: sightings are only in the leader's memory. */
export interface Explanation {
  readonly node: string;
  readonly ownership: string;
  readonly scopes: readonly string[];
  readonly finding?: string;
  /** The report that the leader wrote on the Node. */
  readonly condition?: string;
  /** If the breaker keeps the Node: how an operator confirms its deletion and that of the other missing ones. */
  readonly confirmation?: string;
  readonly wouldWrite?: object;
  readonly deletion?: { readonly reason: string; readonly rules: readonly string[] };
}

export interface ExplainSettings {
  readonly lifecycle: LifecycleSettings;
  readonly election: Pick<ElectionSettings, 'enabled' | 'namespace' | 'name'>;
}

export async function explain(
  name: string,
  runtime: ControllerRuntime,
  settings: ExplainSettings,
): Promise<Explanation> {
  const { signal } = new AbortController();
  const raw = await readNode(name, runtime, signal);
  const node = trimNode(raw);
  const facts = factsOf(node);
  const ownership = ownershipOf(facts, runtime.clouds);
  if (ownership.kind !== 'ours') return { node: name, ownership: `${ownership.kind}: ${ownership.reason}`, scopes: [] };
  const scopes = ownership.cloudScopes.map(({ scope }) => scope.key);
  const lookups = await Promise.all(
    ownership.cloudScopes.map((cloudScope) => lookUpNode(cloudScope, node, runtime, signal)),
  );
  const [first, ...others] = lookups;
  if (first === undefined) return { node: name, ownership: 'ours', scopes };
  const lookup = combineLookups([first, ...others]);
  const nowMs = systemClock.monotonicMs();
  const observedLookup = { ...lookup, askedAtMs: nowMs, scope: createScopeRecord(scopes[0] ?? '', nowMs) };
  const state = stateOf(node, 'ours', systemClock.wallMs());
  const { reason, ruleResults } = observe(undefined, { ...state, lookup: observedLookup }, settings.lifecycle, nowMs);
  return {
    node: name,
    ownership: `ours, by ${facts.providerId === undefined ? 'its name' : `providerID ${facts.providerId}`}`,
    scopes,
    finding: describeResult(lookup.result),
    ...conditionOf(raw),
    ...(areDeletionsStopped(raw) && {
      confirmation: await confirmationHint(name, scopes, { runtime, ...settings, signal }),
    }),
    ...(isFound(lookup.result) && { wouldWrite: planNode(node, lookup.result.instance, {}) }),
    deletion: {
      reason,
      rules: ruleResults.map(({ holds, requires, actual }) => `${holds ? '+' : '-'} ${requires}: ${actual}`),
    },
  };
}

async function readNode(name: string, { client }: ControllerRuntime, signal: AbortSignal): Promise<Node> {
  try {
    return await client.get(nodes, { name }, signal);
  } catch (error) {
    if (!isKubernetesError(error, 'not-found')) throw error;
    throw new Failure('not-found', `there is no Node ${name}`, {
      remedy: 'kubectl get nodes lists those that there are',
    });
  }
}

async function lookUpNode(
  cloudScope: CloudScope,
  node: Node,
  runtime: ControllerRuntime,
  signal: AbortSignal,
): Promise<Parameters<typeof combineLookups>[0][0]> {
  const facts = factsOf(node);
  const verify = await findCanaries(cloudScope, runtime, signal);
  const context = { ...runtime.contextFor(signal), beforeCall: () => Promise.resolve() };
  const { results, canary } = await lookUpInScope(cloudScope, { nodes: [{ facts, node }], verify }, context);
  const result = results.get(facts.uid);
  if (result === undefined) throw new Error('a look-up has a result for each of its nodes');
  return { result, canary };
}

const canaryCount = 5;

/** Ready Nodes of the same scope, as the leader uses them. */
async function findCanaries(
  cloudScope: CloudScope,
  runtime: ControllerRuntime,
  signal: AbortSignal,
): Promise<readonly LookupTarget[]> {
  const { items } = await runtime.client.list(nodes, {}, signal);
  const others = items.map(trimNode).filter((node) => isReady(node) && !isUninitialized(node) && node.spec.providerID);
  const targets = others.map((node) => ({ node, facts: factsOf(node) }));
  const inScope = targets.filter(({ facts }) => {
    const ownership = ownershipOf(facts, runtime.clouds);
    return ownership.kind === 'ours' && ownership.cloudScopes.some(({ scope }) => scope.key === cloudScope.scope.key);
  });
  return inScope.slice(0, canaryCount);
}

function conditionOf({ status }: Node): Pick<Explanation, 'condition'> {
  const written = status.conditions?.find(({ type }) => type === keys.instanceCondition);
  return written === undefined ? {} : { condition: `${written.reason ?? ''}: ${written.message ?? ''}` };
}

function areDeletionsStopped({ status }: Node): boolean {
  const stopped: ReportKind = 'DeletionsStopped';
  return status.conditions?.some(({ type, reason }) => type === keys.instanceCondition && reason === stopped) ?? false;
}

interface ConfirmationContext extends Pick<ExplainSettings, 'election'> {
  readonly runtime: ControllerRuntime;
  readonly signal: AbortSignal;
}

async function confirmationHint(
  name: string,
  scopes: readonly string[],
  { runtime, election, signal }: ConfirmationContext,
): Promise<string> {
  const annotate = `kubectl annotate node ${name} ${keys.confirmDeletions}`;
  const lease = election.enabled
    ? await runtime.client.get(leases, election, signal).catch(() => undefined)
    : undefined;
  const value = lease && readConfirmation(lease, scopes);
  return value === undefined
    ? `${annotate}=VALUE; VALUE is on /statusz of the leader and in its log`
    : `${annotate}=${value}`;
}

function describeResult(result: LookupResult): string {
  if (isFound(result)) return `present, ${result.status === 'running' ? 'running' : 'not running'}`;
  if (isGone(result)) return `gone, ${result.status}: ${result.evidence}`;
  if (result.status === 'ambiguous') return `ambiguous: ${result.candidates.join(', ')}`;
  return `unknown: ${result.failure.message}; hint: ${result.failure.remedy}`;
}

/** It contains text of Nodes, which must not look like a line of its own. */
export function explanationJson(explanation: Explanation): string {
  return `${printable(JSON.stringify(explanation))}\n`;
}

/** As `explanationJson`, for people. */
export function explanationText(explanation: Explanation): string {
  const { node, ownership, scopes, finding, condition, confirmation, wouldWrite, deletion } = explanation;
  const lines = [
    `node ${node}`,
    `  owner: ${ownership}`,
    ...(scopes.length > 0 ? [`  asked in: ${scopes.join(', ')}`] : []),
    ...(finding === undefined ? [] : [`  the cloud reports: ${finding}`]),
    ...(condition === undefined ? [] : [`  the leader wrote: ${condition}`]),
    ...(confirmation === undefined ? [] : [`  to confirm: ${confirmation}`]),
    ...(wouldWrite === undefined ? [] : [`  to write: ${JSON.stringify(wouldWrite)}`]),
    ...(deletion === undefined
      ? []
      : [`  deletion: ${deletion.reason}`, ...deletion.rules.map((rule) => `    ${rule}`)]),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

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
import type { Instance, LookupResult } from '../clouds/index.ts';
import { factsOf } from '../lib/node/facts.ts';
import { isReady, isUninitialized } from '../lib/node/read-node.ts';
import { ownershipOf } from './node-controller/ownership.ts';
import type { CloudScope } from './node-controller/ownership.ts';
import { dryRunWriter } from '../lib/node/dry-run-writer.ts';
import { planNode } from '../lib/node/plan.ts';
import { reconcileNode } from '../lib/node/reconcile-node.ts';
import { printable } from '../lib/printable.ts';
import { isManagedByAgent, onlyMissingLabels } from './node-controller/update-node.ts';
import type { ControllerRuntime } from './runtime.ts';
import { explainRoutes } from './route-controller/explain-routes.ts';
import { trimNode } from '../lib/node/trim-node.ts';

/** What would be done with one Node, and why. It looks the Node up itself: sightings are only in the leader's memory. */
export interface Explanation {
  readonly node: string;
  readonly ownership: string;
  readonly scopes: readonly string[];
  /** `false`: it could not be found out whether the instance exists. Absent: the Node is not ours. */
  readonly isKnown?: boolean;
  readonly finding?: string;
  /** The report that the leader wrote on the Node. */
  readonly condition?: string;
  /** If the breaker keeps the Node: how an operator confirms its deletion and that of the other missing ones. */
  readonly confirmation?: string;
  /** What would be written to the Node, a sentence for each change. Empty: nothing. Absent: the instance is not found. */
  readonly changes?: readonly string[];
  /** The same as data. */
  readonly wouldWrite?: object;
  readonly deletion?: { readonly reason: string; readonly rules: readonly string[] };
  /** The routes to its pods. Absent: no routes are kept. */
  readonly routes?: readonly string[];
}

export interface ExplainSettings {
  readonly lifecycle: LifecycleSettings;
  readonly election: Pick<ElectionSettings, 'enabled' | 'namespace' | 'name'>;
  readonly agentHeadStartMs: number;
  readonly keepsRoutes: boolean;
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
    ownership.cloudScopes.map((cloudScope) => lookUpNode(cloudScope, node, { runtime, ...settings, signal })),
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
    isKnown: isFound(lookup.result) || isGone(lookup.result),
    finding: describeResult(lookup.result),
    ...conditionOf(raw),
    ...(areDeletionsStopped(raw) && {
      confirmation: await confirmationHint(name, scopes, { runtime, ...settings, signal }),
    }),
    ...(isFound(lookup.result) && (await plannedChanges(node, lookup.result.instance, settings))),
    ...(settings.keepsRoutes && { routes: explainRoutes(raw, runtime.clouds) }),
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

/** As the leader: what an agent keeps up to date is left to it. */
async function plannedChanges(
  node: Node,
  instance: Instance,
  settings: ExplainSettings,
): Promise<Pick<Explanation, 'changes' | 'wouldWrite'>> {
  const ours = isManagedByAgent(node, settings) ? onlyMissingLabels(instance, node) : instance;
  const reconciled = await reconcileNode(node, ours, {}, dryRunWriter({ read: () => Promise.resolve(node) }));
  const changes = {
    synced: [],
    planned: reconciled.kind === 'planned' ? reconciled.changes : [],
    refused: reconciled.kind === 'refused' ? [`nothing, ${reconciled.reason}: ${reconciled.message}`] : [],
    replaced: [],
  }[reconciled.kind];
  return { changes, wouldWrite: planNode(node, ours, {}) };
}

interface ExplainContext extends ExplainSettings {
  readonly runtime: ControllerRuntime;
  readonly signal: AbortSignal;
}

async function lookUpNode(
  cloudScope: CloudScope,
  node: Node,
  explaining: ExplainContext,
): Promise<Parameters<typeof combineLookups>[0][0]> {
  const facts = factsOf(node);
  const { runtime, signal } = explaining;
  // As the leader: the Node of an uninitialized node is never deleted.
  const verify = isUninitialized(node) ? [] : await findCanaries(cloudScope, explaining);
  const context = { ...runtime.contextFor(signal), beforeCall: () => Promise.resolve() };
  const { results, canary } = await lookUpInScope(cloudScope, { nodes: [{ facts, node }], verify }, context);
  const result = results.get(facts.uid);
  if (result === undefined) throw new Error('a look-up has a result for each of its nodes');
  return { result, canary };
}

/** Ready Nodes of the same scope, as the leader uses them. */
async function findCanaries(
  cloudScope: CloudScope,
  { runtime, lifecycle, signal }: ExplainContext,
): Promise<readonly LookupTarget[]> {
  const { items } = await runtime.client.list(nodes, {}, signal);
  const others = items.map(trimNode).filter((node) => isReady(node) && !isUninitialized(node) && node.spec.providerID);
  const targets = others.map((node) => ({ node, facts: factsOf(node) }));
  const inScope = targets.filter(({ facts }) => {
    const ownership = ownershipOf(facts, runtime.clouds);
    return ownership.kind === 'ours' && ownership.cloudScopes.some(({ scope }) => scope.key === cloudScope.scope.key);
  });
  return inScope.slice(0, lifecycle.canaryNodes);
}

function conditionOf({ status }: Node): Pick<Explanation, 'condition'> {
  const written = status.conditions?.find(({ type }) => type === keys.instanceCondition);
  return written === undefined ? {} : { condition: `${written.reason ?? ''}: ${written.message ?? ''}` };
}

function areDeletionsStopped({ status }: Node): boolean {
  const stopped: ReportKind = 'DeletionsStopped';
  return status.conditions?.some(({ type, reason }) => type === keys.instanceCondition && reason === stopped) ?? false;
}

async function confirmationHint(
  name: string,
  scopes: readonly string[],
  { runtime, election, signal }: ExplainContext,
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
  const { node, ownership, scopes, finding, condition, confirmation, changes, deletion, routes = [] } = explanation;
  const lines = [
    `node ${node}`,
    `  owner: ${ownership}`,
    ...(scopes.length > 0 ? [`  asked in: ${scopes.join(', ')}`] : []),
    ...(finding === undefined ? [] : [`  the cloud reports: ${finding}`]),
    ...(condition === undefined ? [] : [`  the leader wrote: ${condition}`]),
    ...(confirmation === undefined ? [] : [`  to confirm: ${confirmation}`]),
    ...(changes === undefined ? [] : changeLines(changes)),
    ...routes.map((route) => `  route: ${route}`),
    ...(deletion === undefined
      ? []
      : [`  deletion: ${deletion.reason}`, ...deletion.rules.map((rule) => `    ${rule}`)]),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

function changeLines(changes: readonly string[]): readonly string[] {
  if (changes.length === 0) return ['  to write: nothing, the Node matches its instance'];
  return ['  to write:', ...changes.map((change) => `    ${change}`)];
}

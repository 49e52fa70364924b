import { systemClock } from '../lib/clock.ts';
import { Failure } from '../lib/failure.ts';
import { isKubernetesError } from '../lib/kubernetes/kubernetes-error.ts';
import { leases, nodes } from '../lib/kubernetes/resources.ts';
import type { Node } from '../schemas/kubernetes.ts';
import type { ElectionSettings } from './leader-election/settings.ts';
import { confirmationIn } from './confirmations.ts';
import { observe } from './lifecycle/observe.ts';
import { stateOf } from './lifecycle/observation.ts';
import type { ReportKind } from './lifecycle/report.ts';
import { beginScope } from './lifecycle/scope.ts';
import type { LifecycleSettings } from './lifecycle/settings.ts';
import { combine } from './look-up/combine.ts';
import { lookBatch } from './look-up/look.ts';
import { keys } from '../schemas/keys.ts';
import type { Finding, NodeFacts } from '../clouds/index.ts';
import { factsOf } from '../lib/node/facts.ts';
import { isReady, isUninitialized } from '../lib/node/read-node.ts';
import { ownershipOf } from './node/ownership.ts';
import type { Claim } from './node/ownership.ts';
import { planNode } from '../lib/node/plan.ts';
import { printable } from '../lib/printable.ts';
import type { Ground } from './start.ts';
import { trimNode } from '../lib/node/trim-node.ts';

/** What is known of one Node and what would be done, and why. Asks by itself; sightings are in the leader's memory only. */
export interface Explanation {
  readonly node: string;
  readonly ownership: string;
  readonly scopes: readonly string[];
  readonly finding?: string;
  /** What the leader wrote on the Node. */
  readonly condition?: string;
  /** Where the breaker keeps the Node: how an operator lets it and the other missing ones go. */
  readonly confirmation?: string;
  readonly wouldWrite?: object;
  readonly deletion?: { readonly reason: string; readonly rules: readonly string[] };
}

export interface ExplainSettings {
  readonly lifecycle: LifecycleSettings;
  readonly election: Pick<ElectionSettings, 'enabled' | 'namespace' | 'name'>;
}

export async function explain(name: string, ground: Ground, settings: ExplainSettings): Promise<Explanation> {
  const { signal } = new AbortController();
  const raw = await readNode(name, ground, signal);
  const node = trimNode(raw);
  const facts = factsOf(node);
  const ownership = ownershipOf(facts, ground.clouds);
  if (ownership.kind !== 'ours') return { node: name, ownership: `${ownership.kind}: ${ownership.why}`, scopes: [] };
  const scopes = ownership.claims.map(({ scope }) => scope.key);
  const answers = await Promise.all(ownership.claims.map((claim) => ask(claim, node, ground, signal)));
  const [first, ...others] = answers;
  if (first === undefined) return { node: name, ownership: 'ours', scopes };
  const answer = combine([first, ...others]);
  const nowMs = systemClock.monotonicMs();
  const look = { ...answer, askedAtMs: nowMs, scope: beginScope(scopes[0] ?? '', nowMs) };
  const state = stateOf(node, 'ours', systemClock.wallMs());
  const { reason, verdicts } = observe(undefined, { ...state, look }, settings.lifecycle, nowMs);
  return {
    node: name,
    ownership: `ours, by ${facts.providerId === undefined ? 'its name' : `providerID ${facts.providerId}`}`,
    scopes,
    finding: describe(answer.finding),
    ...conditionOf(raw),
    ...(isStopped(raw) && { confirmation: await howToConfirm(name, scopes, { ground, ...settings, signal }) }),
    ...(answer.finding.is === 'present' && { wouldWrite: planNode(node, answer.finding.instance, {}) }),
    deletion: {
      reason,
      rules: verdicts.map(({ holds, requires, stands }) => `${holds ? '+' : '-'} ${requires}: ${stands}`),
    },
  };
}

async function readNode(name: string, { client }: Ground, signal: AbortSignal): Promise<Node> {
  try {
    return await client.get(nodes, { name }, signal);
  } catch (error) {
    if (!isKubernetesError(error, 'not-found')) throw error;
    throw new Failure('not-found', `there is no Node ${name}`, {
      remedy: 'kubectl get nodes lists those that there are',
    });
  }
}

async function ask(
  claim: Claim,
  node: Node,
  ground: Ground,
  signal: AbortSignal,
): Promise<Parameters<typeof combine>[0][0]> {
  const facts = factsOf(node);
  const canaries = await witnesses(claim, facts.uid, ground, signal);
  const batch = { claim, nodes: [facts], canaries, readyUids: new Set<string>() };
  const { findings, canary } = await lookBatch(batch, ground.contextFor(signal));
  const finding = findings.get(facts.uid);
  if (finding === undefined) throw new Error('a batch has a finding for each of its nodes');
  return { finding, canary };
}

const canaryCount = 5;

/** Ready Nodes of the same scope, as the leader would ask for. */
async function witnesses(
  claim: Claim,
  uid: string,
  ground: Ground,
  signal: AbortSignal,
): Promise<readonly NodeFacts[]> {
  const { items } = await ground.client.list(nodes, {}, signal);
  const others = items.map(trimNode).filter((node) => isReady(node) && !isUninitialized(node) && node.spec.providerID);
  const inScope = others.map(factsOf).filter((facts) => {
    const ownership = ownershipOf(facts, ground.clouds);
    return ownership.kind === 'ours' && ownership.claims.some(({ scope }) => scope.key === claim.scope.key);
  });
  return inScope.filter((facts) => facts.uid !== uid).slice(0, canaryCount);
}

function conditionOf({ status }: Node): Pick<Explanation, 'condition'> {
  const written = status.conditions?.find(({ type }) => type === keys.instanceCondition);
  return written === undefined ? {} : { condition: `${written.reason ?? ''}: ${written.message ?? ''}` };
}

function isStopped({ status }: Node): boolean {
  const stopped: ReportKind = 'DeletionsStopped';
  return status.conditions?.some(({ type, reason }) => type === keys.instanceCondition && reason === stopped) ?? false;
}

interface Asking extends Pick<ExplainSettings, 'election'> {
  readonly ground: Ground;
  readonly signal: AbortSignal;
}

async function howToConfirm(
  name: string,
  scopes: readonly string[],
  { ground, election, signal }: Asking,
): Promise<string> {
  const annotate = `kubectl annotate node ${name} ${keys.confirmDeletions}`;
  const lease = election.enabled ? await ground.client.get(leases, election, signal).catch(() => undefined) : undefined;
  const value = lease && confirmationIn(lease, scopes);
  return value === undefined
    ? `${annotate}=VALUE; VALUE is on /statusz of the leader and in its log`
    : `${annotate}=${value}`;
}

function describe(finding: Finding): string {
  if (finding.is === 'present') return `present${finding.running ? ', running' : ', not running'}`;
  if (finding.is === 'gone') return `gone, ${finding.word}: ${finding.quote}`;
  if (finding.is === 'ambiguous') return `ambiguous: ${finding.candidates.join(', ')}`;
  return `unknown: ${finding.failure.message}; hint: ${finding.failure.remedy}`;
}

/** Text of Nodes is in it. None of it can look like a line of its own. */
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
    ...(finding === undefined ? [] : [`  the cloud says: ${finding}`]),
    ...(condition === undefined ? [] : [`  the leader wrote: ${condition}`]),
    ...(confirmation === undefined ? [] : [`  to confirm: ${confirmation}`]),
    ...(wouldWrite === undefined ? [] : [`  to write: ${JSON.stringify(wouldWrite)}`]),
    ...(deletion === undefined
      ? []
      : [`  deletion: ${deletion.reason}`, ...deletion.rules.map((rule) => `    ${rule}`)]),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

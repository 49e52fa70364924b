import type { Finding } from '../../clouds/index.ts';
import type { Node, NodeCondition } from '../../schemas/kubernetes.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import type { FailureFields } from '../../lib/log/failure-fields.ts';
import { printable } from '../../lib/printable.ts';
import { keys } from '../../schemas/keys.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import { observe } from '../lifecycle/observe.ts';
import type { Decision } from '../lifecycle/decision.ts';
import { stateOf } from '../lifecycle/observation.ts';
import { permissionOf } from '../lifecycle/permission.ts';
import type { NodeRecord } from '../lifecycle/record.ts';
import type { Report } from '../lifecycle/report.ts';
import type { ScopeRecord } from '../lifecycle/scope.ts';
import type { Answer } from '../look-up/combine.ts';
import { isUninitialized } from '../../lib/node/read-node.ts';
import { makeTrue } from '../../lib/node/make-true.ts';
import { isStill } from '../../lib/node/still.ts';
import { isLeftToAgent, whatAgentLacks } from './beside-agent.ts';
import type { Dependencies } from './dependencies.ts';
import type { Scopes } from './scopes.ts';
import {
  logCondition,
  logDeletion,
  logMade,
  logRecovery,
  logTrouble,
  planCondition,
  planDeletion,
  planMade,
} from './node-log.ts';
import { claimsOf, keepNewer } from './tracked.ts';
import type { Tracked } from './tracked.ts';
import { writeTaints } from './write-taints.ts';
import type { DecidedOn } from './write-taints.ts';

/** What was said of one node, and when it was asked. */
export interface Said {
  readonly answer: Answer;
  readonly askedAtMs: number;
  /** The Node as it was then. */
  readonly asked: Node;
}

const msPerSecond = 1_000;

/** Does what follows from an answer. Gives the wait until the next question, where a certain one is wanted. */
export async function settle(
  tracked: Tracked,
  { answer, askedAtMs, asked }: Said,
  scopes: Scopes,
  dependencies: Dependencies,
): Promise<number | undefined> {
  const { clock, settings } = dependencies;
  const { node } = tracked;
  if (!isStillOurs(tracked, asked)) return askAgainInMs(tracked);
  const scope = scopes.recordOf(claimsOf(tracked)[0]?.scope.key ?? '');
  const look = { ...answer, askedAtMs, scope };
  const observation = { ...stateOf(node, tracked.ownership.kind, clock.wallMs()), look };
  const decision = observe(tracked.record, observation, settings.lifecycle, clock.monotonicMs());
  const earlier = tracked.record;
  tracked.record = decision.record;
  tracked.reason = decision.reason;
  if (decision.scope !== undefined) scopes.keep(decision.scope);
  const mayGo = (): boolean => isStillAllowed(decision, scopes.recordOf(scope.key), dependencies);
  if (settings.controllers.lifecycle) await carryOut(tracked, { node, look, decision, earlier, mayGo }, dependencies);
  if (!isStillOurs(tracked, node)) return askAgainInMs(tracked);
  if (!settings.controllers.node) settled(tracked, dependencies);
  else if (decision.action.do !== 'delete') await keepTrue(tracked, answer.finding, scopes, dependencies);
  return decision.action.do === 'wait' ? decision.action.nextLookInMs : undefined;
}

function isStillOurs(tracked: Tracked, before: Node): boolean {
  return tracked.ownership.kind === 'ours' && isStill(before, tracked.node);
}

/** What was said was said of another instance, or to another owner: at once, but for a Node that is being deleted. */
function askAgainInMs({ node }: Tracked): number | undefined {
  return node.metadata.deletionTimestamp === undefined ? 0 : undefined;
}

interface ToCarryOut extends Omit<DecidedOn, 'reason'> {
  readonly decision: Decision;
  /** What was known before the decision. */
  readonly earlier: NodeRecord | undefined;
  /** Does its scope still let the Node go? Too many may have gone missing while it was reported and waited for its turn. */
  mayGo(): boolean;
}

function isStillAllowed({ action, record }: Decision, scope: ScopeRecord, { clock, settings }: Dependencies): boolean {
  if (action.do !== 'delete') return false;
  return permissionOf(scope, { uid: record.uid, word: action.word }, settings.lifecycle, clock.monotonicMs()).given;
}

/** What could not be told is news again the next time; a deed does not go out without its report. */
async function carryOut(tracked: Tracked, toDo: ToCarryOut, dependencies: Dependencies): Promise<void> {
  try {
    await act(tracked, toDo, dependencies);
  } catch (error) {
    // The Node may have changed meanwhile, so it is the present record that is corrected.
    const { decision, earlier } = toDo;
    if (decision.report !== undefined) tracked.record = untold(tracked.record ?? decision.record, earlier);
    throw error;
  }
}

/** The record with what was told before as the last that was told. */
function untold(record: NodeRecord, earlier: NodeRecord | undefined): NodeRecord {
  const told = earlier?.reported;
  const { reported, ...rest } = record;
  return reported === told ? record : { ...rest, ...(told !== undefined && { reported: told }) };
}

/**
 * The report goes before the deed. The deed is for the Node as it was decided on. A Node that was Ready meanwhile has no
 * sightings any more, and stays.
 */
async function act(
  tracked: Tracked,
  { decision, mayGo, ...decidedOn }: ToCarryOut,
  dependencies: Dependencies,
): Promise<void> {
  const { cluster, measures, log } = dependencies;
  const { action } = decision;
  if (decision.report !== undefined) await report(tracked, decision.report, dependencies);
  const stands = (): boolean => tracked.record?.sightings === decision.record.sightings && mayGo();
  if (action.do === 'delete' && stands()) {
    const removed = await cluster.remove(decidedOn.node, stands);
    if (removed === 'removed') {
      measures.deleted(action.word);
      logDeletion(tracked, decision, log);
    }
    if (removed === 'not-written') planDeletion(tracked, decision, log);
  }
  if (action.do === 'taint') {
    await writeTaints(tracked, { ...decidedOn, reason: decision.reason }, action, dependencies);
  }
}

async function report(tracked: Tracked, told: Report, dependencies: Dependencies): Promise<void> {
  await writeCondition(tracked, told, dependencies);
  const { kind, type, message } = told;
  await tell(tracked.node, { type, reason: kind, message }, dependencies);
}

async function writeCondition(
  tracked: Tracked,
  { kind, clearsCondition, message }: Report,
  { cluster, clock, measures, log }: Dependencies,
): Promise<void> {
  const now = new Date(clock.wallMs()).toISOString();
  const condition: NodeCondition = {
    type: keys.instanceCondition,
    status: clearsCondition ? 'True' : 'False',
    reason: kind,
    message: printable(message),
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  const done = await cluster.setCondition(tracked.node, condition);
  if (done === 'not-written') {
    planCondition(tracked, condition, log);
    return;
  }
  measures.wrote('condition', 1);
  logCondition(tracked, condition, log);
}

async function tell(node: Node, event: NodeEvent, { cluster, measures }: Dependencies): Promise<void> {
  const done = await cluster.tell(node, { ...event, message: printable(event.message) });
  if (done === 'written') measures.wrote('event', 1);
}

/** Initialises a new node, and repairs one that drifted. */
async function keepTrue(tracked: Tracked, finding: Finding, scopes: Scopes, dependencies: Dependencies): Promise<void> {
  if (finding.is !== 'present') return whileNotFound(tracked, finding, scopes, dependencies);
  tracked.instance = finding.instance;
  tracked.plans.delete('deletion');
  const { node } = tracked;
  const isLeft = isLeftToAgent(node, dependencies.settings);
  const instance = isLeft ? whatAgentLacks(finding.instance, node) : finding.instance;
  const wasNew = isUninitialized(node);
  const made = await makeTrue(node, instance, {}, dependencies.cluster);
  if (made.kind === 'replaced') return;
  if (made.kind === 'refused') return warn(tracked, made, dependencies);
  if (made.kind === 'planned') {
    planned(tracked, made.changes, dependencies);
    return;
  }
  settled(tracked, dependencies);
  keepNewer(tracked, made.node);
  dependencies.measures.wrote('node', made.writes);
  logMade(tracked, wasNew, made, dependencies.log);
  if (wasNew) await welcome(tracked, dependencies);
}

/** A dry run leaves the Node as it is; it is looked at again like any other, new ones less and less often. */
function planned(tracked: Tracked, changes: readonly string[], { log }: Dependencies): void {
  tracked.failures = isUninitialized(tracked.node) ? tracked.failures + 1 : 0;
  tracked.reason = `dry run: would ${changes.join(', ')}`;
  planMade(tracked, changes, log);
}

function settled(tracked: Tracked, { log }: Dependencies): void {
  tracked.failures = 0;
  tracked.plans.delete('node');
  delete tracked.warned;
  logRecovery(tracked, log);
}

/** Told once. Whoever puts the taint back would otherwise have an event for each time. */
async function welcome(tracked: Tracked, dependencies: Dependencies): Promise<void> {
  const { clock, measures } = dependencies;
  tracked.initialisations += 1;
  if (tracked.initialisations > 1) return;
  measures.initialized((clock.wallMs() - Date.parse(tracked.node.metadata.creationTimestamp)) / msPerSecond);
  tracked.reason = 'initialised';
  await tell(tracked.node, { type: 'Normal', reason: 'Synced', message: 'Node synced successfully' }, dependencies);
}

/** A new node is waited for by its pods, so why it is not initialised has to be seen on it. */
async function whileNotFound(
  tracked: Tracked,
  finding: Exclude<Finding, { is: 'present' }>,
  scopes: Scopes,
  dependencies: Dependencies,
): Promise<void> {
  if (!isUninitialized(tracked.node)) {
    tracked.failures = 0;
    return;
  }
  const message = whyNot(finding);
  const isScopes = finding.is === 'unknown' && scopes.wasSaid(finding.failure);
  const failure = finding.is === 'unknown' ? failureFields(finding.failure) : { err: message };
  const kind = finding.is === 'gone' ? finding.word : undefined;
  await warn(tracked, { reason: 'NodeInitFailed', message, failure, isScopes, kind }, dependencies);
}

function whyNot(finding: Exclude<Finding, { is: 'present' }>): string {
  if (finding.is === 'gone') return `the cloud says that the instance is gone, ${finding.word}: ${finding.quote}`;
  if (finding.is === 'ambiguous') return `several instances could be this node: ${finding.candidates.join(', ')}`;
  return `${finding.failure.message}; hint: ${finding.failure.remedy}`;
}

interface Warning extends Omit<NodeEvent, 'type'> {
  /** For the log; absent: the message. */
  readonly failure?: FailureFields;
  /** It is the trouble of the whole scope, whose line is in the log already. */
  readonly isScopes?: boolean;
  /** Absent: the message. A cloud may name other instances that are missing in the same sentence. */
  readonly kind?: string | undefined;
}

async function warn(
  tracked: Tracked,
  { reason, message, failure = { err: message }, isScopes = false, kind }: Warning,
  dependencies: Dependencies,
): Promise<void> {
  tracked.failures += 1;
  tracked.reason = message;
  if (!isScopes) logTrouble(tracked, { reason, failure, kind }, dependencies.log);
  if (tracked.warned === (kind ?? message)) return;
  await tell(tracked.node, { type: 'Warning', reason, message }, dependencies);
  tracked.warned = kind ?? message;
}

import type { Finding } from '../../clouds/index.ts';
import type { Node, NodeCondition } from '../../schemas/kubernetes.ts';
import { keys } from '../../schemas/keys.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import { observe } from '../lifecycle/observe.ts';
import type { Decision } from '../lifecycle/decision.ts';
import { stateOf } from '../lifecycle/observation.ts';
import type { NodeRecord } from '../lifecycle/record.ts';
import type { Report } from '../lifecycle/report.ts';
import { taintsPatch } from '../node/taints-patch.ts';
import type { Answer } from '../look-up/combine.ts';
import { isUninitialized } from '../../lib/node/read-node.ts';
import { makeTrue } from '../../lib/node/make-true.ts';
import { isOlder, isStill } from '../../lib/node/still.ts';
import { isLeftToAgent, whatAgentLacks } from './beside-agent.ts';
import { breakerNews } from './breaker-word.ts';
import type { Dependencies } from './dependencies.ts';
import type { Scopes } from './scopes.ts';
import {
  logCondition,
  logDeletion,
  logMade,
  logRecovery,
  logTaints,
  logTrouble,
  planCondition,
  planDeletion,
  planMade,
  planPatch,
} from './node-log.ts';
import { claimsOf } from './tracked.ts';
import type { Tracked } from './tracked.ts';

/** What was said of one node, and when it was asked. */
export interface Said {
  readonly answer: Answer;
  readonly askedAtMs: number;
  /** The Node as it was then. */
  readonly asked: Node;
}

const msPerSecond = 1_000;

/** Does what follows from an answer. Gives the wait until the next question, where the decision wants a certain one. */
export async function settle(
  tracked: Tracked,
  { answer, askedAtMs, asked }: Said,
  scopes: Scopes,
  dependencies: Dependencies,
): Promise<number | undefined> {
  const { clock, settings } = dependencies;
  if (tracked.ownership.kind !== 'ours' || !isStill(asked, tracked.node)) return undefined;
  const scope = scopes.recordOf(claimsOf(tracked)[0]?.scope.key ?? '');
  const state = stateOf(tracked.node, tracked.ownership.kind, clock.wallMs());
  const look = { ...answer, askedAtMs, scope };
  const decision = observe(tracked.record, { ...state, look }, settings.lifecycle, clock.monotonicMs());
  const earlier = tracked.record;
  tracked.record = decision.record;
  tracked.reason = decision.reason;
  if (decision.scope !== undefined) scopes.keep(decision.scope);
  if (settings.controllers.lifecycle) {
    await actOn(tracked, decision, earlier, dependencies);
    await followBreaker(tracked, decision, dependencies);
  }
  if (settings.controllers.node && decision.action.do !== 'delete') {
    await keepTrue(tracked, answer.finding, scopes, dependencies);
  }
  return decision.action.do === 'wait' ? decision.action.nextLookInMs : undefined;
}

/** What could not be told is news again the next time; a deed does not go out without its report. */
export async function actOn(
  tracked: Tracked,
  decision: Decision,
  earlier: NodeRecord | undefined,
  dependencies: Dependencies,
): Promise<void> {
  try {
    await act(tracked, decision, dependencies);
  } catch (error) {
    if (decision.report !== undefined) tracked.record = untold(decision.record, earlier);
    throw error;
  }
}

/** The record with what was told before as the last that was told. */
export function untold(record: NodeRecord, earlier: NodeRecord | undefined): NodeRecord {
  const told = earlier?.reported;
  const entries = Object.entries(record).filter(([name]) => name !== 'reported');
  return { ...(Object.fromEntries(entries) as unknown as NodeRecord), ...(told !== undefined && { reported: told }) };
}

/** The report goes before the deed. */
async function act(tracked: Tracked, decision: Decision, dependencies: Dependencies): Promise<void> {
  const { cluster, measures, log } = dependencies;
  const { action } = decision;
  if (decision.report !== undefined) await report(tracked, decision.report, dependencies);
  if (action.do === 'delete') {
    const removed = await cluster.remove(tracked.node);
    if (removed === 'removed') {
      measures.deleted(action.word);
      logDeletion(tracked, decision, log);
    }
    if (removed === 'not-written') planDeletion(tracked, decision, log);
  }
  if (action.do === 'taint') {
    const patch = taintsPatch(tracked.node, action);
    const written = await cluster.patch(tracked.node, patch);
    if (written === 'not-written') {
      planPatch(tracked, patch, log);
      return;
    }
    measures.wrote('taint', 1);
    if (written === 'conflict') return;
    logTaints(tracked, action, decision.reason, log);
    keepNewer(tracked, written);
  }
}

/** The condition alone: one event for each further Node that goes missing would be a flood. */
async function followBreaker(tracked: Tracked, decision: Decision, dependencies: Dependencies): Promise<void> {
  const { clock, settings } = dependencies;
  const { record, scope, report: told } = decision;
  if (scope === undefined) return;
  const news = breakerNews({ record, word: tracked.toldWord }, scope, settings.lifecycle, clock.monotonicMs());
  if (news === undefined) return;
  if (told === undefined) await writeCondition(tracked, news.report, dependencies);
  tracked.toldWord = news.word;
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
    message,
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
  const done = await cluster.tell(node, event);
  if (done === 'written') measures.wrote('event', 1);
}

/** Initialises a new node, and repairs one that drifted. */
async function keepTrue(tracked: Tracked, finding: Finding, scopes: Scopes, dependencies: Dependencies): Promise<void> {
  if (finding.is !== 'present') return whileNotFound(tracked, finding, scopes, dependencies);
  tracked.instance = finding.instance;
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
  tracked.plans.clear();
  delete tracked.warned;
  logRecovery(tracked, log);
}

async function welcome(tracked: Tracked, dependencies: Dependencies): Promise<void> {
  const { clock, measures } = dependencies;
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
  const isScopes = finding.is === 'unknown' && scopes.wasSaid(finding.failure);
  await warn(tracked, { reason: 'NodeInitFailed', message: whyNot(finding), isScopes }, dependencies);
}

function whyNot(finding: Exclude<Finding, { is: 'present' }>): string {
  if (finding.is === 'gone') return `the cloud says that the instance is gone, ${finding.word}: ${finding.quote}`;
  if (finding.is === 'ambiguous') return `several instances could be this node: ${finding.candidates.join(', ')}`;
  return `${finding.failure.message}; to mend it: ${finding.failure.remedy}`;
}

interface Warning extends Omit<NodeEvent, 'type'> {
  /** It is the trouble of the whole scope, whose line is in the log already. */
  readonly isScopes?: boolean;
}

async function warn(
  tracked: Tracked,
  { reason, message, isScopes = false }: Warning,
  dependencies: Dependencies,
): Promise<void> {
  tracked.failures += 1;
  tracked.reason = message;
  if (!isScopes) logTrouble(tracked, reason, { err: message }, dependencies.log);
  if (tracked.warned === message) return;
  await tell(tracked.node, { type: 'Warning', reason, message }, dependencies);
  tracked.warned = message;
}

/** The watch may have told of a later version already. */
function keepNewer(tracked: Tracked, node: Node): void {
  if (!isOlder(node, tracked.node)) tracked.node = node;
}

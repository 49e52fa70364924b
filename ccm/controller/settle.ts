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
    await keepTrue(tracked, answer.finding, dependencies);
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
  const { cluster, measures } = dependencies;
  const { action } = decision;
  if (decision.report !== undefined) await report(tracked.node, decision.report, dependencies);
  if (action.do === 'delete') {
    const removed = await cluster.remove(tracked.node);
    if (removed === 'removed') measures.deleted(action.word);
  }
  if (action.do === 'taint') {
    const written = await cluster.patch(tracked.node.metadata.name, taintsPatch(tracked.node, action));
    measures.wrote('taint', 1);
    if (written !== 'conflict') keepNewer(tracked, written);
  }
}

/** The condition alone: one event for each further Node that goes missing would be a flood. */
async function followBreaker(tracked: Tracked, decision: Decision, dependencies: Dependencies): Promise<void> {
  const { clock, settings } = dependencies;
  const { record, scope, report: told } = decision;
  if (scope === undefined) return;
  const news = breakerNews({ record, word: tracked.toldWord }, scope, settings.lifecycle, clock.monotonicMs());
  if (news === undefined) return;
  if (told === undefined) await writeCondition(tracked.node, news.report, dependencies);
  tracked.toldWord = news.word;
}

async function report(node: Node, told: Report, dependencies: Dependencies): Promise<void> {
  await writeCondition(node, told, dependencies);
  const { kind, type, message } = told;
  await tell(node, { type, reason: kind, message }, dependencies);
}

async function writeCondition(
  node: Node,
  { kind, clearsCondition, message }: Report,
  { cluster, clock, measures }: Dependencies,
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
  await cluster.setCondition(node, condition);
  measures.wrote('condition', 1);
}

async function tell(node: Node, event: NodeEvent, { cluster, measures }: Dependencies): Promise<void> {
  await cluster.tell(node, event);
  measures.wrote('event', 1);
}

/** Initialises a new node, and repairs one that drifted. */
async function keepTrue(tracked: Tracked, finding: Finding, dependencies: Dependencies): Promise<void> {
  if (finding.is !== 'present') return whileNotFound(tracked, finding, dependencies);
  tracked.instance = finding.instance;
  const { node } = tracked;
  const isLeft = isLeftToAgent(node, dependencies.settings);
  const instance = isLeft ? whatAgentLacks(finding.instance, node) : finding.instance;
  const wasNew = isUninitialized(node);
  const made = await makeTrue(node, instance, {}, dependencies.cluster);
  if (made.kind === 'replaced') return;
  if (made.kind === 'refused') return warn(tracked, made, dependencies);
  tracked.failures = 0;
  delete tracked.warned;
  keepNewer(tracked, made.node);
  dependencies.measures.wrote('node', made.writes);
  if (wasNew) await welcome(tracked, made.node, dependencies);
}

async function welcome(tracked: Tracked, node: Node, dependencies: Dependencies): Promise<void> {
  // A dry run leaves it as it is.
  if (isUninitialized(node)) {
    tracked.failures += 1;
    return;
  }
  const { clock, measures } = dependencies;
  measures.initialized((clock.wallMs() - Date.parse(tracked.node.metadata.creationTimestamp)) / msPerSecond);
  tracked.reason = 'initialised';
  await tell(tracked.node, { type: 'Normal', reason: 'Synced', message: 'Node synced successfully' }, dependencies);
}

/** A new node is waited for by its pods, so why it is not initialised has to be seen on it. */
async function whileNotFound(
  tracked: Tracked,
  finding: Exclude<Finding, { is: 'present' }>,
  dependencies: Dependencies,
): Promise<void> {
  if (!isUninitialized(tracked.node)) tracked.failures = 0;
  else await warn(tracked, { reason: 'NodeInitFailed', message: whyNot(finding) }, dependencies);
}

function whyNot(finding: Exclude<Finding, { is: 'present' }>): string {
  if (finding.is === 'gone') return `the cloud says that the instance is gone, ${finding.word}: ${finding.quote}`;
  if (finding.is === 'ambiguous') return `several instances could be this node: ${finding.candidates.join(', ')}`;
  return `${finding.failure.message}; to mend it: ${finding.failure.remedy}`;
}

async function warn(
  tracked: Tracked,
  { reason, message }: Omit<NodeEvent, 'type'>,
  dependencies: Dependencies,
): Promise<void> {
  tracked.failures += 1;
  tracked.reason = message;
  if (tracked.warned === message) return;
  await tell(tracked.node, { type: 'Warning', reason, message }, dependencies);
  tracked.warned = message;
}

/** The watch may have told of a later version already. */
function keepNewer(tracked: Tracked, node: Node): void {
  if (!isOlder(node, tracked.node)) tracked.node = node;
}

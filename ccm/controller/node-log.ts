import type { FailureFields } from '../../lib/log/failure-fields.ts';
import type { Log } from '../../lib/log/log.ts';
import { describeChanges } from '../../lib/node/describe-changes.ts';
import type { Made } from '../../lib/node/make-true.ts';
import type { NodePatch } from '../../lib/node/plan.ts';
import type { NodeCondition } from '../../schemas/kubernetes.ts';
import type { Decision } from '../lifecycle/decision.ts';
import type { TaintChange } from '../lifecycle/taints.ts';
import { taints } from '../node/taints-patch.ts';
import type { Tracked } from './tracked.ts';

/** What the controller says of single Nodes: each write, and in a dry run each plan once until it is another one. */

interface About {
  readonly node: string;
  readonly uid: string;
  readonly providerID: string;
}

function about({ node: { metadata, spec } }: Tracked): About {
  return { node: metadata.name, uid: metadata.uid, providerID: spec.providerID ?? '' };
}

type MadeTrue = Extract<Made, { readonly kind: 'true' }>;

export function logMade(tracked: Tracked, wasNew: boolean, { changes }: MadeTrue, log: Log): void {
  if (changes.length > 0) log.standard(wasNew ? 'nodeInitialized' : 'nodeUpdated', { ...about(tracked), changes });
}

/** Texts that are another one each time, such as those with the number of a request. */
const mostTroubles = 20;

export interface Trouble {
  readonly reason: string;
  readonly failure: FailureFields;
  /** What it is the same as; absent: the text of the failure. */
  readonly kind?: string | undefined;
}

/** Each trouble once, however often it is met until the Node is in sync. */
export function logTrouble(tracked: Tracked, { reason, failure, kind = failure.err }: Trouble, log: Log): void {
  const line = { node: tracked.node.metadata.name, reason, ...failure };
  const text = `${reason} ${kind}`;
  if (tracked.troubles.has(text) || tracked.troubles.size >= mostTroubles) {
    log.verbose('Node cannot be synced yet', line);
    return;
  }
  log.standard('nodeFailing', line);
  tracked.troubles.add(text);
}

export function logRecovery({ node, troubles }: Tracked, log: Log): void {
  if (troubles.size > 0) log.standard('nodeRecovered', { node: node.metadata.name });
  troubles.clear();
}

export function logTaints(tracked: Tracked, { add, remove }: TaintChange, reason: string, log: Log): void {
  const fieldsOf = (name: keyof typeof taints) => ({ ...about(tracked), taint: taints[name].key, reason });
  for (const name of add) log.standard('taintSet', fieldsOf(name));
  for (const name of remove) log.standard('taintRemoved', fieldsOf(name));
}

/** The deletion says its own reason. */
export function logCondition(tracked: Tracked, { reason = '', message = '' }: NodeCondition, log: Log): void {
  if (reason !== 'DeletingNode') log.standard('instanceReported', { ...about(tracked), reason, evidence: message });
}

export function logDeletion(tracked: Tracked, { reason }: Decision, log: Log): void {
  log.standard('nodeDeleted', { ...about(tracked), evidence: evidenceOf(tracked), reason });
}

/** Once for each word: a cloud may name other instances that are missing in the same sentence. */
export function planDeletion(tracked: Tracked, { action, reason }: Decision, log: Log): void {
  once(tracked, 'deletion', action.do === 'delete' ? action.word : '', () => {
    log.standard('deletionPlanned', { ...about(tracked), evidence: evidenceOf(tracked), reason });
  });
}

export function planPatch(tracked: Tracked, patch: NodePatch, log: Log): void {
  planChanges(tracked, 'taints', describeChanges(tracked.node, patch), log);
}

export function planCondition(tracked: Tracked, { type, reason, message }: NodeCondition, log: Log): void {
  if (reason === 'DeletingNode') return;
  planChanges(tracked, 'condition', [`set condition ${type} to ${reason ?? ''}: ${message ?? ''}`], log);
}

export function planMade(tracked: Tracked, changes: readonly string[], log: Log): void {
  planChanges(tracked, 'node', changes, log);
}

function planChanges(tracked: Tracked, part: string, changes: readonly string[], log: Log): void {
  const { node, uid } = about(tracked);
  once(tracked, part, changes.join('\n'), () => log.standard('nodePlanned', { node, uid, changes }));
}

function once({ plans }: Tracked, part: string, text: string, say: () => void): void {
  if (plans.get(part) === text) return;
  plans.set(part, text);
  say();
}

/** What the cloud said last. */
function evidenceOf({ record }: Tracked): string {
  return record?.finding?.is === 'gone' ? `${record.finding.word}: ${record.finding.quote}` : '';
}

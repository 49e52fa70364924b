import type { FailureFields } from '../../lib/log/failure-fields.ts';
import type { Log } from '../../lib/log/log.ts';
import { describeChanges } from '../../lib/node/describe-changes.ts';
import type { ReconcileResult } from '../../lib/node/reconcile-node.ts';
import type { NodePatch } from '../../lib/node/plan.ts';
import type { NodeCondition } from '../../schemas/kubernetes.ts';
import type { LifecycleDecision } from '../lifecycle/decision.ts';
import { isGone } from '../lifecycle/result-kinds.ts';
import type { TaintChange } from '../lifecycle/taints.ts';
import { taints } from './taints-patch.ts';
import type { TrackedNode } from './tracked-node.ts';

/** The log lines about single Nodes: each write, and in a dry run each plan once until it changes. */

interface NodeFields {
  readonly node: string;
  readonly uid: string;
  readonly providerID: string;
}

function nodeFields({ node: { metadata, spec } }: TrackedNode): NodeFields {
  return { node: metadata.name, uid: metadata.uid, providerID: spec.providerID ?? '' };
}

type Reconciled = Extract<ReconcileResult, { readonly kind: 'synced' }>;

export function logReconciled(tracked: TrackedNode, wasNew: boolean, { changes }: Reconciled, log: Log): void {
  if (changes.length > 0) log.standard(wasNew ? 'nodeInitialized' : 'nodeUpdated', { ...nodeFields(tracked), changes });
}

/** For texts that differ each time, such as those with a request id. */
const maxLoggedFailures = 20;

export interface NodeFailure {
  readonly reason: string;
  readonly failure: FailureFields;
  /** Failures of the same kind are logged once. Absent: the text of the failure is the kind. */
  readonly kind?: string | undefined;
}

/** Logs each kind of failure once until the Node is in sync. */
export function logNodeFailure(
  tracked: TrackedNode,
  { reason, failure, kind = failure.err }: NodeFailure,
  log: Log,
): void {
  const line = { node: tracked.node.metadata.name, reason, ...failure };
  const text = `${reason} ${kind}`;
  if (tracked.loggedFailures.has(text) || tracked.loggedFailures.size >= maxLoggedFailures) {
    log.debug('Node cannot be synced yet', line);
    return;
  }
  log.standard('nodeFailing', line);
  tracked.loggedFailures.add(text);
}

export function logRecovery({ node, loggedFailures }: TrackedNode, log: Log): void {
  if (loggedFailures.size > 0) log.standard('nodeRecovered', { node: node.metadata.name });
  loggedFailures.clear();
}

export function logTaints(tracked: TrackedNode, { add, remove }: TaintChange, reason: string, log: Log): void {
  const fieldsOf = (name: keyof typeof taints) => ({ ...nodeFields(tracked), taint: taints[name].key, reason });
  for (const name of add) log.standard('taintSet', fieldsOf(name));
  for (const name of remove) log.standard('taintRemoved', fieldsOf(name));
}

/** A deletion has its own line. */
export function logCondition(tracked: TrackedNode, { reason = '', message = '' }: NodeCondition, log: Log): void {
  if (reason !== 'DeletingNode') {
    log.standard('instanceReported', { ...nodeFields(tracked), reason, evidence: message });
  }
}

export function logDeletion(tracked: TrackedNode, { reason }: LifecycleDecision, log: Log): void {
  log.standard('nodeDeleted', { ...nodeFields(tracked), evidence: evidenceOf(tracked), reason });
}

/** Once for each status: the evidence may name other missing instances, and so differ each time. */
export function logPlannedDeletion(tracked: TrackedNode, { action, reason }: LifecycleDecision, log: Log): void {
  oncePerText(tracked, 'deletion', action.do === 'delete' ? action.status : '', () => {
    log.standard('deletionPlanned', { ...nodeFields(tracked), evidence: evidenceOf(tracked), reason });
  });
}

export function logPlannedTaints(tracked: TrackedNode, patch: NodePatch, log: Log): void {
  logPlan(tracked, 'taints', describeChanges(tracked.node, patch), log);
}

export function logPlannedCondition(tracked: TrackedNode, { type, reason, message }: NodeCondition, log: Log): void {
  if (reason === 'DeletingNode') return;
  logPlan(tracked, 'condition', [`set condition ${type} to ${reason ?? ''}: ${message ?? ''}`], log);
}

export function logPlannedUpdate(tracked: TrackedNode, changes: readonly string[], log: Log): void {
  logPlan(tracked, 'node', changes, log);
}

function logPlan(tracked: TrackedNode, part: string, changes: readonly string[], log: Log): void {
  const { node, uid } = nodeFields(tracked);
  oncePerText(tracked, part, changes.join('\n'), () => log.standard('nodePlanned', { node, uid, changes }));
}

function oncePerText({ loggedPlans }: TrackedNode, part: string, text: string, write: () => void): void {
  if (loggedPlans.get(part) === text) return;
  loggedPlans.set(part, text);
  write();
}

/** The cloud's last report. */
function evidenceOf({ record }: TrackedNode): string {
  return isGone(record?.result) ? `${record.result.status}: ${record.result.evidence}` : '';
}

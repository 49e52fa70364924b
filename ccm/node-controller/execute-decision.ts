import type { Node } from '../../schemas/kubernetes.ts';
import type { LifecycleDecision } from '../lifecycle/decision.ts';
import type { ObservedLookup } from '../lifecycle/observation.ts';
import { permissionOf } from '../lifecycle/permission.ts';
import type { NodeRecord } from '../lifecycle/record.ts';
import type { ControllerDependencies } from './dependencies.ts';
import { logDeletion, logPlannedDeletion } from './node-log.ts';
import { writeReport } from './node-reports.ts';
import type { Scopes } from './scopes.ts';
import type { TrackedNode } from './tracked-node.ts';
import { writeTaints } from './write-taints.ts';

/** A decision, and what it was made from. */
export interface DecisionInput {
  readonly decision: LifecycleDecision;
  readonly node: Node;
  readonly lookup: ObservedLookup;
  /** The record before the decision. */
  readonly previousRecord: NodeRecord | undefined;
}

/**
 * Reports, then deletes or taints. A report that cannot be written is tried again with the next decision; without its
 * report no deletion goes out.
 */
export async function executeDecision(
  tracked: TrackedNode,
  input: DecisionInput,
  scopes: Scopes,
  dependencies: ControllerDependencies,
): Promise<void> {
  const { decision, node, lookup, previousRecord } = input;
  dependencies.metrics.countDecision(decision.action.do);
  try {
    if (decision.report !== undefined) await writeReport(tracked, decision.report, dependencies);
    if (decision.action.do === 'delete') await deleteNode(tracked, input, scopes, dependencies);
    if (decision.action.do === 'taint') {
      await writeTaints(tracked, { node, lookup, reason: decision.reason }, decision.action, dependencies);
    }
  } catch (error) {
    // The Node may have changed meanwhile, so the present record is corrected.
    if (decision.report !== undefined) {
      tracked.record = withoutReport(tracked.record ?? decision.record, previousRecord);
    }
    throw error;
  }
}

/**
 * Deletes the Node that was decided on. While it was reported and waited for its turn, the Node may have become Ready,
 * which voids its sightings, or its scope may have stopped deletions.
 */
async function deleteNode(
  tracked: TrackedNode,
  { decision, node, lookup }: DecisionInput,
  scopes: Scopes,
  dependencies: ControllerDependencies,
): Promise<void> {
  const { cluster, metrics, log } = dependencies;
  const { action, record } = decision;
  const stillHolds = (): boolean =>
    tracked.record?.sightings === record.sightings && isDeletionAllowed(decision, scopes, lookup, dependencies);
  if (action.do !== 'delete' || !stillHolds()) return;
  const deletion = await cluster.deleteNode(node, stillHolds);
  if (deletion === 'removed') {
    metrics.countDeletion(action.status);
    logDeletion(tracked, decision, log);
  }
  if (deletion === 'not-written') logPlannedDeletion(tracked, decision, log);
}

function isDeletionAllowed(
  { action, record }: LifecycleDecision,
  scopes: Scopes,
  lookup: ObservedLookup,
  { clock, settings }: ControllerDependencies,
): boolean {
  if (action.do !== 'delete') return false;
  const scope = scopes.recordOf(lookup.scope.key);
  return permissionOf(scope, { uid: record.uid, status: action.status }, settings.lifecycle, clock.monotonicMs()).given;
}

/** The record with the last report that was written. */
function withoutReport(record: NodeRecord, previousRecord: NodeRecord | undefined): NodeRecord {
  const previouslyReported = previousRecord?.reported;
  const { reported, ...rest } = record;
  return reported === previouslyReported
    ? record
    : { ...rest, ...(previouslyReported !== undefined && { reported: previouslyReported }) };
}

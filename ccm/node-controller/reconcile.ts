import type { LookupResult } from '../../clouds/index.ts';
import type { Node, NodeCondition } from '../../schemas/kubernetes.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import type { FailureFields } from '../../lib/log/failure-fields.ts';
import { printable } from '../../lib/printable.ts';
import { keys } from '../../schemas/keys.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import { observe } from '../lifecycle/observe.ts';
import type { LifecycleDecision } from '../lifecycle/decision.ts';
import { stateOf } from '../lifecycle/observation.ts';
import { permissionOf } from '../lifecycle/permission.ts';
import type { NodeRecord } from '../lifecycle/record.ts';
import type { DeletionReport } from '../lifecycle/report.ts';
import { isFound, isGone } from '../lifecycle/result-kinds.ts';
import type { FoundResult } from '../lifecycle/result-kinds.ts';
import type { ScopeRecord } from '../lifecycle/scope.ts';
import type { NodeLookup } from './combine-lookups.ts';
import { isUninitialized } from '../../lib/node/read-node.ts';
import { reconcileNode } from '../../lib/node/reconcile-node.ts';
import { isSameNode } from '../../lib/node/same-node.ts';
import { isManagedByAgent, onlyMissingLabels } from './agent-managed.ts';
import type { ControllerDependencies } from './dependencies.ts';
import type { Scopes } from './scopes.ts';
import {
  logCondition,
  logDeletion,
  logReconciled,
  logRecovery,
  logNodeFailure,
  logPlannedCondition,
  logPlannedDeletion,
  logPlannedUpdate,
} from './node-log.ts';
import { cloudScopesOf, keepNewerNode } from './tracked-node.ts';
import type { TrackedNode } from './tracked-node.ts';
import { writeTaints } from './write-taints.ts';
import type { DecisionBasis } from './write-taints.ts';

/** What was said of one node, and when it was asked. */
export interface ReconcileInput {
  readonly lookup: NodeLookup;
  readonly askedAtMs: number;
  /** The Node as it was then. */
  readonly nodeWhenAsked: Node;
}

const msPerSecond = 1_000;

/** Does what follows from an answer. Gives the wait until the next question, where a certain one is wanted. */
export async function reconcile(
  tracked: TrackedNode,
  { lookup, askedAtMs, nodeWhenAsked }: ReconcileInput,
  scopes: Scopes,
  dependencies: ControllerDependencies,
): Promise<number | undefined> {
  const { clock, settings } = dependencies;
  const { node } = tracked;
  if (!isStillOurs(tracked, nodeWhenAsked)) return lookUpAgainInMs(tracked);
  const scope = scopes.recordOf(cloudScopesOf(tracked)[0]?.scope.key ?? '');
  const observedLookup = { ...lookup, askedAtMs, scope };
  const observation = { ...stateOf(node, tracked.ownership.kind, clock.wallMs()), lookup: observedLookup };
  const decision = observe(tracked.record, observation, settings.lifecycle, clock.monotonicMs());
  const previousRecord = tracked.record;
  tracked.record = decision.record;
  tracked.reason = decision.reason;
  if (decision.scope !== undefined) scopes.setRecord(decision.scope);
  const mayDelete = (): boolean => isDeletionAllowed(decision, scopes.recordOf(scope.key), dependencies);
  if (settings.controllers.lifecycle) {
    await executeDecision(tracked, { node, lookup: observedLookup, decision, previousRecord, mayDelete }, dependencies);
  }
  if (!isStillOurs(tracked, node)) return lookUpAgainInMs(tracked);
  if (!settings.controllers.node) recordSynced(tracked, dependencies);
  else if (decision.action.do !== 'delete') await updateNode(tracked, lookup.result, scopes, dependencies);
  return decision.action.do === 'wait' ? decision.action.nextLookupInMs : undefined;
}

function isStillOurs(tracked: TrackedNode, before: Node): boolean {
  return tracked.ownership.kind === 'ours' && isSameNode(before, tracked.node);
}

/** What was said was said of another instance, or to another owner: at once, but for a Node that is being deleted. */
function lookUpAgainInMs({ node }: TrackedNode): number | undefined {
  return node.metadata.deletionTimestamp === undefined ? 0 : undefined;
}

interface PendingDecision extends Omit<DecisionBasis, 'reason'> {
  readonly decision: LifecycleDecision;
  /** What was known before the decision. */
  readonly previousRecord: NodeRecord | undefined;
  /** Does its scope still let the Node go? Too many may have gone missing while it was reported and waited for its turn. */
  mayDelete(): boolean;
}

function isDeletionAllowed(
  { action, record }: LifecycleDecision,
  scope: ScopeRecord,
  { clock, settings }: ControllerDependencies,
): boolean {
  if (action.do !== 'delete') return false;
  return permissionOf(scope, { uid: record.uid, status: action.status }, settings.lifecycle, clock.monotonicMs()).given;
}

/** What could not be told is news again the next time; a deed does not go out without its report. */
async function executeDecision(
  tracked: TrackedNode,
  pending: PendingDecision,
  dependencies: ControllerDependencies,
): Promise<void> {
  try {
    await executeAction(tracked, pending, dependencies);
  } catch (error) {
    // The Node may have changed meanwhile, so it is the present record that is corrected.
    const { decision, previousRecord } = pending;
    if (decision.report !== undefined) {
      tracked.record = withoutReport(tracked.record ?? decision.record, previousRecord);
    }
    throw error;
  }
}

/** The record with what was told before as the last that was told. */
function withoutReport(record: NodeRecord, previousRecord: NodeRecord | undefined): NodeRecord {
  const previouslyReported = previousRecord?.reported;
  const { reported, ...rest } = record;
  return reported === previouslyReported
    ? record
    : { ...rest, ...(previouslyReported !== undefined && { reported: previouslyReported }) };
}

/**
 * The report goes before the deed. The deed is for the Node as it was decided on. A Node that was Ready meanwhile has no
 * sightings any more, and stays.
 */
async function executeAction(
  tracked: TrackedNode,
  { decision, mayDelete, ...basis }: PendingDecision,
  dependencies: ControllerDependencies,
): Promise<void> {
  const { cluster, metrics, log } = dependencies;
  const { action } = decision;
  if (decision.report !== undefined) await writeReport(tracked, decision.report, dependencies);
  const stillHolds = (): boolean => tracked.record?.sightings === decision.record.sightings && mayDelete();
  if (action.do === 'delete' && stillHolds()) {
    const deletion = await cluster.deleteNode(basis.node, stillHolds);
    if (deletion === 'removed') {
      metrics.countDeletion(action.status);
      logDeletion(tracked, decision, log);
    }
    if (deletion === 'not-written') logPlannedDeletion(tracked, decision, log);
  }
  if (action.do === 'taint') {
    await writeTaints(tracked, { ...basis, reason: decision.reason }, action, dependencies);
  }
}

async function writeReport(
  tracked: TrackedNode,
  report: DeletionReport,
  dependencies: ControllerDependencies,
): Promise<void> {
  await writeCondition(tracked, report, dependencies);
  const { kind, type, message } = report;
  await recordEvent(tracked.node, { type, reason: kind, message }, dependencies);
}

async function writeCondition(
  tracked: TrackedNode,
  { kind, clearsCondition, message }: DeletionReport,
  { cluster, clock, metrics, log }: ControllerDependencies,
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
  const written = await cluster.setCondition(tracked.node, condition);
  if (written === 'not-written') {
    logPlannedCondition(tracked, condition, log);
    return;
  }
  metrics.countWrites('condition', 1);
  logCondition(tracked, condition, log);
}

async function recordEvent(node: Node, event: NodeEvent, { cluster, metrics }: ControllerDependencies): Promise<void> {
  const written = await cluster.recordEvent(node, { ...event, message: printable(event.message) });
  if (written === 'written') metrics.countWrites('event', 1);
}

/** Initialises a new node, and repairs one that drifted. */
async function updateNode(
  tracked: TrackedNode,
  result: LookupResult,
  scopes: Scopes,
  dependencies: ControllerDependencies,
): Promise<void> {
  if (!isFound(result)) return reportNotFound(tracked, result, scopes, dependencies);
  tracked.instance = result.instance;
  tracked.loggedPlans.delete('deletion');
  const { node } = tracked;
  const isManaged = isManagedByAgent(node, dependencies.settings);
  const instance = isManaged ? onlyMissingLabels(result.instance, node) : result.instance;
  const wasNew = isUninitialized(node);
  const reconciled = await reconcileNode(node, instance, {}, dependencies.cluster);
  if (reconciled.kind === 'replaced') return;
  if (reconciled.kind === 'refused') return recordWarning(tracked, reconciled, dependencies);
  if (reconciled.kind === 'planned') {
    recordPlan(tracked, reconciled.changes, dependencies);
    return;
  }
  recordSynced(tracked, dependencies);
  keepNewerNode(tracked, reconciled.node);
  dependencies.metrics.countWrites('node', reconciled.writes);
  logReconciled(tracked, wasNew, reconciled, dependencies.log);
  if (wasNew) await reportInitialised(tracked, dependencies);
}

/** A dry run leaves the Node as it is; it is looked at again like any other, new ones less and less often. */
function recordPlan(tracked: TrackedNode, changes: readonly string[], { log }: ControllerDependencies): void {
  tracked.failures = isUninitialized(tracked.node) ? tracked.failures + 1 : 0;
  tracked.reason = `dry run: would ${changes.join(', ')}`;
  logPlannedUpdate(tracked, changes, log);
}

function recordSynced(tracked: TrackedNode, { log }: ControllerDependencies): void {
  tracked.failures = 0;
  tracked.loggedPlans.delete('node');
  delete tracked.lastWarning;
  logRecovery(tracked, log);
}

/** Told once. Whoever puts the taint back would otherwise have an event for each time. */
async function reportInitialised(tracked: TrackedNode, dependencies: ControllerDependencies): Promise<void> {
  const { clock, metrics } = dependencies;
  tracked.initialisations += 1;
  if (tracked.initialisations > 1) return;
  metrics.observeInitialization((clock.wallMs() - Date.parse(tracked.node.metadata.creationTimestamp)) / msPerSecond);
  tracked.reason = 'initialised';
  await recordEvent(
    tracked.node,
    { type: 'Normal', reason: 'Synced', message: 'Node synced successfully' },
    dependencies,
  );
}

/** A new node is waited for by its pods, so why it is not initialised has to be seen on it. */
async function reportNotFound(
  tracked: TrackedNode,
  result: Exclude<LookupResult, FoundResult>,
  scopes: Scopes,
  dependencies: ControllerDependencies,
): Promise<void> {
  if (!isUninitialized(tracked.node)) {
    tracked.failures = 0;
    return;
  }
  const message = describeNotFound(result);
  const isScopeFailure = result.status === 'unknown' && scopes.wasLogged(result.failure);
  const failure = result.status === 'unknown' ? failureFields(result.failure) : { err: message };
  const kind = isGone(result) ? result.status : undefined;
  await recordWarning(tracked, { reason: 'NodeInitFailed', message, failure, isScopeFailure, kind }, dependencies);
}

function describeNotFound(result: Exclude<LookupResult, FoundResult>): string {
  if (isGone(result)) return `the cloud says that the instance is gone, ${result.status}: ${result.evidence}`;
  if (result.status === 'ambiguous') return `several instances could be this node: ${result.candidates.join(', ')}`;
  return `${result.failure.message}; hint: ${result.failure.remedy}`;
}

interface NodeWarning extends Omit<NodeEvent, 'type'> {
  /** For the log; absent: the message. */
  readonly failure?: FailureFields;
  /** It is the trouble of the whole scope, whose line is in the log already. */
  readonly isScopeFailure?: boolean;
  /** Absent: the message. A cloud may name other instances that are missing in the same sentence. */
  readonly kind?: string | undefined;
}

async function recordWarning(
  tracked: TrackedNode,
  { reason, message, failure = { err: message }, isScopeFailure = false, kind }: NodeWarning,
  dependencies: ControllerDependencies,
): Promise<void> {
  tracked.failures += 1;
  tracked.reason = message;
  if (!isScopeFailure) logNodeFailure(tracked, { reason, failure, kind }, dependencies.log);
  if (tracked.lastWarning === (kind ?? message)) return;
  await recordEvent(tracked.node, { type: 'Warning', reason, message }, dependencies);
  tracked.lastWarning = kind ?? message;
}

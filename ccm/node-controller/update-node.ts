import type { Instance, LookupResult } from '../../clouds/index.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import type { FailureFields } from '../../lib/log/failure-fields.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import { isUninitialized } from '../../lib/node/read-node.ts';
import { reconcileNode } from '../../lib/node/reconcile-node.ts';
import { keys, wellKnown } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import { isFound, isGone } from '../lifecycle/result-kinds.ts';
import { isOtherMachine } from '../lifecycle/reused-name.ts';
import type { FoundResult } from '../lifecycle/result-kinds.ts';
import type { ControllerDependencies, ControllerSettings } from './dependencies.ts';
import { logNodeFailure, logPlannedUpdate, logReconciled, logRecovery } from './node-log.ts';
import { recordEvent } from './node-reports.ts';
import type { Scopes } from './scopes.ts';
import { cloudScopesOf, keepNewerNode, machineOf } from './tracked-node.ts';
import type { TrackedNode } from './tracked-node.ts';

const msPerSecond = 1_000;

/** Initialises a new Node, and repairs one that differs from its instance. */
export async function updateNode(
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
  recordMachine(tracked, { before: node, reconciled: reconciled.node, result }, dependencies.clock.monotonicMs());
  dependencies.metrics.countWrites('node', reconciled.writes);
  logReconciled(tracked, wasNew, reconciled, dependencies.log);
  if (wasNew) await reportInitialised(tracked, dependencies);
}

/** The agent keeps the addresses and labels of its Node. Two writers would undo each other's work. */
export function isManagedByAgent(
  node: Node,
  { agentHeadStartMs }: Pick<ControllerSettings, 'agentHeadStartMs'>,
): boolean {
  const isMarked = node.metadata.annotations?.[keys.describedByAgent] !== undefined;
  return agentHeadStartMs > 0 && isMarked && !isUninitialized(node);
}

/**
 * Labels that only the cloud's API has, such as layers of its network or on some clouds the instance type, where the Node
 * lacks them.
 */
export function onlyMissingLabels(
  { providerId, type, region, labels, unread }: Instance,
  { metadata }: Node,
): Instance {
  const lacks = (names: readonly string[]): boolean => names.every((name) => metadata.labels?.[name] === undefined);
  const missing = Object.entries(labels).filter(([key]) => lacks([key]));
  return {
    providerId,
    ...(type !== undefined && lacks(wellKnown.instanceType) && { type }),
    ...(region !== undefined && lacks(wellKnown.region) && { region }),
    addresses: [],
    labels: Object.fromEntries(missing),
    ...(unread && { unread }),
  };
}

interface SyncedNode {
  readonly before: Node;
  readonly reconciled: Node;
  readonly result: FoundResult;
}

/** No list of a cloud should lag behind longer. */
const listLagMs = 60_000;

/** Not if the machine changed while the Node was written: the instance may be that of the machine before. */
function recordMachine(tracked: TrackedNode, { before, reconciled, result }: SyncedNode, nowMs: number): void {
  const { instanceId } = result.instance;
  if (instanceId === undefined || instanceIdOn(reconciled) !== instanceId) return;
  if (instanceIdOn(before) !== instanceId) delete tracked.lastMachine;
  const machine = machineOf(reconciled);
  if (isOtherMachine(machineOf(before), machine)) return;
  const isProven = result.by === 'id' || isListedForLong(tracked, { instanceId, machine, atMs: nowMs });
  if (isProven) tracked.lastMachine = machine;
}

/** A list can be older than the Node. So it has to show the same id for the same machine for a while. */
function isListedForLong(tracked: TrackedNode, listed: NonNullable<TrackedNode['firstListed']>): boolean {
  const { firstListed } = tracked;
  const isSame = firstListed?.instanceId === listed.instanceId && !isOtherMachine(firstListed.machine, listed.machine);
  if (!isSame) tracked.firstListed = listed;
  return isSame && listed.atMs - firstListed.atMs >= listLagMs;
}

function instanceIdOn({ metadata }: Node): string | undefined {
  return metadata.annotations?.[keys.instanceId];
}

/** A dry run leaves the Node as it is, and looks at it again like at any other, at new ones less and less often. */
function recordPlan(tracked: TrackedNode, changes: readonly string[], { log }: ControllerDependencies): void {
  tracked.failures = isUninitialized(tracked.node) ? tracked.failures + 1 : 0;
  tracked.reason = `dry run: would ${changes.join(', ')}`;
  logPlannedUpdate(tracked, changes, log);
}

export function recordSynced(tracked: TrackedNode, { log }: ControllerDependencies): void {
  tracked.failures = 0;
  tracked.loggedPlans.delete('node');
  delete tracked.lastWarning;
  logRecovery(tracked, log);
}

/** One event. If something adds the taint again, there is no event for each time. */
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

/** Pods wait for a new Node, so its event gives the reason why it is not initialised. */
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
  if (isGone(result)) return `the cloud reports that the instance is gone, ${result.status}: ${result.evidence}`;
  if (result.status === 'ambiguous') return `several instances could be this node: ${result.candidates.join(', ')}`;
  return `${result.failure.message}; hint: ${result.failure.remedy}`;
}

interface NodeWarning extends Omit<NodeEvent, 'type'> {
  /** For the log. Absent: the message. */
  readonly failure?: FailureFields;
  /** A failure of the whole scope, which is logged already. */
  readonly isScopeFailure?: boolean;
  /** Absent: the message. Evidence may name other missing instances, and so differ each time. */
  readonly kind?: string | undefined;
}

async function recordWarning(
  tracked: TrackedNode,
  { reason, message, failure = { err: message }, isScopeFailure = false, kind }: NodeWarning,
  dependencies: ControllerDependencies,
): Promise<void> {
  // Its scope has a backoff of its own. When that ends the Node must not wait for longer.
  const isScopeWaiting = isScopeFailure && cloudScopesOf(tracked).length === 1;
  if (!isScopeWaiting) tracked.failures += 1;
  tracked.reason = message;
  if (!isScopeFailure) logNodeFailure(tracked, { reason, failure, kind }, dependencies.log);
  if (tracked.lastWarning === (kind ?? message)) return;
  await recordEvent(tracked.node, { type: 'Warning', reason, message }, dependencies);
  tracked.lastWarning = kind ?? message;
}

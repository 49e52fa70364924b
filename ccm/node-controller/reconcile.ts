import type { Node } from '../../schemas/kubernetes.ts';
import { rereadUnreadMs } from '../../lib/node/plan.ts';
import { isReady } from '../../lib/node/read-node.ts';
import { isSameNode } from '../../lib/node/same-node.ts';
import type { LifecycleAction } from '../lifecycle/decision.ts';
import { stateOf } from '../lifecycle/observation.ts';
import { observe } from '../lifecycle/observe.ts';
import { isFound } from '../lifecycle/result-kinds.ts';
import { isOtherMachine } from '../lifecycle/reused-name.ts';
import type { NodeLookup } from './combine-lookups.ts';
import type { ControllerDependencies, ControllerSettings } from './dependencies.ts';
import { executeDecision } from './execute-decision.ts';
import type { Scopes } from './scopes.ts';
import { cloudScopesOf, machineOf } from './tracked-node.ts';
import type { TrackedNode } from './tracked-node.ts';
import { recordSynced, updateNode } from './update-node.ts';

export interface ReconcileInput {
  readonly lookup: NodeLookup;
  readonly askedAtMs: number;
  /** The Node as it was when the cloud was asked. */
  readonly nodeWhenAsked: Node;
}

/** Observe, decide, report and delete or taint, update the Node. Returns the wait until the next look-up, if it is fixed. */
export async function reconcile(
  tracked: TrackedNode,
  { lookup, askedAtMs, nodeWhenAsked }: ReconcileInput,
  scopes: Scopes,
  dependencies: ControllerDependencies,
): Promise<number | undefined> {
  const { clock, settings } = dependencies;
  const { node, record: previousRecord } = tracked;
  if (!isStillOurs(tracked, nodeWhenAsked)) return lookUpAgainInMs(tracked);

  const scope = scopes.recordOf(cloudScopesOf(tracked)[0]?.scope.key ?? '');
  const observedLookup = { ...lookup, askedAtMs, scope };
  const observation = { ...stateOf(node, tracked.ownership.kind, clock.wallMs()), lookup: observedLookup };
  const decision = observe(previousRecord, observation, settings.lifecycle, clock.monotonicMs());
  tracked.record = decision.record;
  tracked.reason = decision.reason;
  if (decision.scope !== undefined) scopes.setRecord(decision.scope);

  if (settings.controllers.lifecycle) {
    await executeDecision(tracked, { decision, node, lookup: observedLookup, previousRecord }, scopes, dependencies);
  }

  if (!isStillOurs(tracked, node)) return lookUpAgainInMs(tracked);
  if (!settings.controllers.node) recordSynced(tracked, dependencies);
  else if (decision.action.do !== 'delete') await updateNode(tracked, lookup.result, scopes, dependencies);
  return nextLookupInMs(tracked, decision.action, lookup, settings);
}

function isStillOurs(tracked: TrackedNode, before: Node): boolean {
  const { node, ownership } = tracked;
  return ownership.kind === 'ours' && isSameNode(before, node) && !isOtherMachine(machineOf(before), machineOf(node));
}

/** The result is for another instance, or another controller's Node: at once, unless the Node is being deleted. */
function lookUpAgainInMs({ node }: TrackedNode): number | undefined {
  return node.metadata.deletionTimestamp === undefined ? 0 : undefined;
}

function nextLookupInMs(
  tracked: TrackedNode,
  action: LifecycleAction,
  { result }: NodeLookup,
  settings: ControllerSettings,
): number | undefined {
  if (action.do === 'wait') return Math.min(action.nextLookupInMs, maxWaitMs);
  if (!isFound(result)) return undefined;
  tracked.unreadTimes = result.instance.unread === undefined ? 0 : tracked.unreadTimes + 1;
  return tracked.unreadTimes === 0 ? undefined : rereadInMs(tracked, settings);
}

/** What was missing may be found again long before its Node is old enough to be deleted. */
const maxWaitMs = 30_000;

/** What cannot be read for want of a permission must not cost a look-up every few seconds for ever. */
function rereadInMs({ node, unreadTimes }: TrackedNode, settings: ControllerSettings): number {
  const waitMs = rereadUnreadMs * 2 ** Math.max(0, unreadTimes - quickRereads);
  return Math.min(waitMs, isReady(node) ? settings.nodeStatusUpdateFrequencyMs : settings.nodeMonitorPeriodMs);
}

const quickRereads = 15;

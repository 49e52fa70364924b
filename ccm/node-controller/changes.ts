import type { Node } from '../../schemas/kubernetes.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import { LeadershipLost } from './cluster.ts';
import { observe } from '../lifecycle/observe.ts';
import { stateOf } from '../lifecycle/observation.ts';
import { keys } from '../../schemas/keys.ts';
import { runTask } from './state.ts';
import type { ControllerState } from './state.ts';
import { readyAtMs } from './tracked-node.ts';
import type { TrackedNode } from './tracked-node.ts';
import { logNodeFailure } from './node-log.ts';
import { writeTaints } from './write-taints.ts';

/** When a Node is due after it has changed from `before`. */
export function dueAfterChange(tracked: TrackedNode, before: Node | undefined, { schedule }: ControllerState): number {
  if (tracked.ownership.kind === 'ours') {
    const isSameOwner = before !== undefined && ownerOf(before) === ownerOf(tracked.node);
    return schedule.afterChange(tracked, isSameOwner ? before : undefined);
  }
  tracked.reason = tracked.ownership.reason;
  return Infinity;
}

/** A Node that is assigned to another cloud is new to that cloud. */
function ownerOf({ metadata }: Node): string | undefined {
  return metadata.labels?.[keys.ownership];
}

/** A Node that became Ready is no longer missing, and its taints may be out of date. */
export function observeChange(tracked: TrackedNode, state: ControllerState): void {
  const { dependencies } = state;
  const { clock, settings } = dependencies;
  const { node } = tracked;
  const observation = stateOf(node, tracked.ownership.kind, clock.wallMs());
  const { record, action, reason } = observe(tracked.record, observation, settings.lifecycle, clock.monotonicMs());
  tracked.record = record;
  if (action.do !== 'taint' || tracked.busy || !settings.controllers.lifecycle) return;
  // Something may add the taint again as fast as it is removed: no tight loop with it.
  const mayWriteAtMs = (tracked.taintsRemovedAtMs ?? -Infinity) + settings.nodeMonitorPeriodMs;
  if (clock.monotonicMs() < mayWriteAtMs) {
    tracked.dueAtMs = Math.min(tracked.dueAtMs, mayWriteAtMs);
    return;
  }
  tracked.busy = true;
  const writing = writeTaints(tracked, { node, reason }, action, dependencies)
    .catch((error: unknown) => {
      recordFailure(tracked, error, state);
      tracked.dueAtMs = Math.min(tracked.dueAtMs, state.schedule.afterFailure(tracked));
    })
    .finally(() => releaseNode(tracked, node, state));
  runTask(writing, state);
}

/** Ends the work on a Node. A change since `before`, when the work began, counts as a change now. */
export function releaseNode(tracked: TrackedNode, before: Node, state: ControllerState): void {
  tracked.busy = false;
  const hasChanged = tracked.node.metadata.resourceVersion !== before.metadata.resourceVersion;
  if (!hasChanged || state.nodes.get(tracked.uid) !== tracked) return;
  tracked.dueAtMs = dueAfterChange(tracked, before, state);
  if (state.leading) observeChange(tracked, state);
}

/** Only if it is due earlier: each wake-up looks through all Nodes. */
export function wakeIfDue(tracked: TrackedNode, { looksAgainAtMs, wake }: ControllerState): void {
  if (readyAtMs(tracked) < looksAgainAtMs) wake();
}

/** Lost leadership is retried like a failure of the Node, but not logged: the lease may still be renewed. */
export function recordFailure(tracked: TrackedNode, error: unknown, { dependencies }: ControllerState): void {
  tracked.failures += 1;
  tracked.reason = error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error';
  if (error instanceof LeadershipLost) return;
  logNodeFailure(tracked, { reason: 'NodeNotWritten', failure: failureFields(error) }, dependencies.log);
}

import type { Node } from '../../schemas/kubernetes.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import { LeadershipLost } from './cluster.ts';
import { observe } from '../lifecycle/observe.ts';
import { stateOf } from '../lifecycle/observation.ts';
import { keys } from '../../schemas/keys.ts';
import { runTask } from './state.ts';
import type { ControllerState } from './state.ts';
import type { TrackedNode } from './tracked-node.ts';
import { logNodeFailure } from './node-log.ts';
import { writeTaints } from './write-taints.ts';

/** When a Node is due, now that it is no longer what it was `before`. */
export function dueAfterChange(tracked: TrackedNode, before: Node | undefined, { schedule }: ControllerState): number {
  if (tracked.ownership.kind === 'ours') {
    const isSameOwner = before !== undefined && ownerOf(before) === ownerOf(tracked.node);
    return schedule.afterChange(tracked, isSameOwner ? before : undefined);
  }
  tracked.reason = tracked.ownership.reason;
  return Infinity;
}

/** One that is given to another cloud is as new to that cloud as one that has just registered. */
function ownerOf({ metadata }: Node): string | undefined {
  return metadata.labels?.[keys.ownership];
}

/** A Node that was Ready in between is no longer missing, and its taints may be out of date. */
export function observeChange(tracked: TrackedNode, state: ControllerState): void {
  const { dependencies } = state;
  const { clock, settings } = dependencies;
  const { node } = tracked;
  const observation = stateOf(node, tracked.ownership.kind, clock.wallMs());
  const { record, action, reason } = observe(tracked.record, observation, settings.lifecycle, clock.monotonicMs());
  tracked.record = record;
  if (action.do !== 'taint' || tracked.busy || !settings.controllers.lifecycle) return;
  // Whoever puts a taint back as fast as it is removed is not to be answered as fast.
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

/** The work on a node has ended. What changed since `before`, when it began, counts as if it changed now. */
export function releaseNode(tracked: TrackedNode, before: Node, state: ControllerState): void {
  tracked.busy = false;
  const hasChanged = tracked.node.metadata.resourceVersion !== before.metadata.resourceVersion;
  if (!hasChanged || state.nodes.get(tracked.uid) !== tracked) return;
  tracked.dueAtMs = dueAfterChange(tracked, before, state);
  if (state.leading) observeChange(tracked, state);
}

/** Thousands of changes in a row must not let the lead look through all Nodes for each. */
export function wakeIfDue({ busy, dueAtMs }: TrackedNode, { looksAgainAtMs, wake }: ControllerState): void {
  if (!busy && dueAtMs < looksAgainAtMs) wake();
}

/** A lost lead is no failure of the Node. It is tried again like one: a lease that is only doubted may be renewed yet. */
export function recordFailure(tracked: TrackedNode, error: unknown, { dependencies }: ControllerState): void {
  tracked.failures += 1;
  tracked.reason = error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error';
  if (error instanceof LeadershipLost) return;
  logNodeFailure(tracked, { reason: 'NodeNotWritten', failure: failureFields(error) }, dependencies.log);
}

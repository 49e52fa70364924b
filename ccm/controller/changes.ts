import type { Node } from '../../schemas/kubernetes.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import { LeadershipLost } from '../cluster/leadership-lost.ts';
import { observe } from '../lifecycle/observe.ts';
import { stateOf } from '../lifecycle/observation.ts';
import { keys } from '../../schemas/keys.ts';
import { describeError, runInBackground } from './background.ts';
import type { State } from './controller.ts';
import type { Tracked } from './tracked.ts';
import { logTrouble } from './node-log.ts';
import { writeTaints } from './write-taints.ts';

/** When a Node is due, now that it is no longer what it was `before`. */
export function dueAfterChange(tracked: Tracked, before: Node | undefined, { timetable }: State): number {
  if (tracked.ownership.kind === 'ours') {
    const isSameOwner = before !== undefined && ownerOf(before) === ownerOf(tracked.node);
    return timetable.afterChange(tracked, isSameOwner ? before : undefined);
  }
  tracked.reason = tracked.ownership.why;
  return Infinity;
}

/** One that is given to another cloud is as new to that cloud as one that has just registered. */
function ownerOf({ metadata }: Node): string | undefined {
  return metadata.labels?.[keys.ownership];
}

/** A Node that was Ready in between is no longer missing, and its taints may be out of date. */
export function observeChange(tracked: Tracked, state: State): void {
  const { dependencies } = state;
  const { clock, settings, log } = dependencies;
  const { node } = tracked;
  const seen = stateOf(node, tracked.ownership.kind, clock.wallMs());
  const { record, action, reason } = observe(tracked.record, seen, settings.lifecycle, clock.monotonicMs());
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
      noteFailure(tracked, error, state);
      tracked.dueAtMs = Math.min(tracked.dueAtMs, state.timetable.afterFailure(tracked));
    })
    .finally(() => release(tracked, node, state));
  runInBackground(keptTrackOf(writing, state), log);
}

/** The work on a node has ended. What changed since `before`, when it began, counts as if it changed now. */
export function release(tracked: Tracked, before: Node, state: State): void {
  tracked.busy = false;
  const hasChanged = tracked.node.metadata.resourceVersion !== before.metadata.resourceVersion;
  if (!hasChanged || state.nodes.get(tracked.uid) !== tracked) return;
  tracked.dueAtMs = dueAfterChange(tracked, before, state);
  if (state.leading) observeChange(tracked, state);
}

/** Thousands of changes in a row must not let the lead look through all Nodes for each. */
export function wakeIfDue({ busy, dueAtMs }: Tracked, { looksAgainAtMs, wake }: State): void {
  if (!busy && dueAtMs < looksAgainAtMs) wake();
}

/** A lost lead is no failure of the Node. It is tried again like one: a lease that is only doubted may be renewed yet. */
export function noteFailure(tracked: Tracked, error: unknown, { dependencies }: State): void {
  tracked.failures += 1;
  tracked.reason = describeError(error);
  if (error instanceof LeadershipLost) return;
  logTrouble(tracked, { reason: 'NodeNotWritten', failure: failureFields(error) }, dependencies.log);
}

export function keptTrackOf<T>(running: Promise<T>, state: State): Promise<T> {
  const kept = running.finally(() => {
    state.underWay.delete(kept);
    state.wake();
  });
  state.underWay.add(kept);
  return kept;
}

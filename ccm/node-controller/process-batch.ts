import type { NodeBatch } from './batches.ts';
import { recordFailure, releaseNode, wakeIfDue } from './changes.ts';
import { lookUpBatch } from './look-up.ts';
import { reconcile } from './reconcile.ts';
import type { ReconcileInput } from './reconcile.ts';
import type { ControllerState } from './state.ts';
import type { TrackedNode } from './tracked-node.ts';

/** Looks up a batch, and reconciles each of its Nodes. Each is released as soon as its own work has ended. */
export async function processBatch(batch: NodeBatch, state: ControllerState, signal: AbortSignal): Promise<void> {
  const askedAtMs = state.dependencies.clock.monotonicMs();
  const nodesWhenAsked = new Map(batch.members.map(({ uid, node }) => [uid, node] as const));
  const lookups = await lookUpBatch(batch, state, signal);
  const reconciling = batch.members.flatMap((tracked) => {
    const [lookup, nodeWhenAsked] = [lookups.get(tracked.uid), nodesWhenAsked.get(tracked.uid)];
    if (lookup === undefined || nodeWhenAsked === undefined) return [];
    return [reconcileOne(tracked, { lookup, askedAtMs, nodeWhenAsked }, state)];
  });
  const failed = (await Promise.allSettled(reconciling)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** A Node that cannot be written does not delay the others. */
async function reconcileOne(tracked: TrackedNode, input: ReconcileInput, state: ControllerState): Promise<void> {
  const { dependencies, nodes, scopes, schedule } = state;
  let nextLookupInMs: number | undefined;
  try {
    if (nodes.has(tracked.uid)) nextLookupInMs = await reconcile(tracked, input, scopes, dependencies);
  } catch (error) {
    recordFailure(tracked, error, state);
  } finally {
    tracked.dueAtMs = tracked.ownership.kind === 'ours' ? schedule.afterLookup(tracked, nextLookupInMs) : Infinity;
    releaseNode(tracked, input.nodeWhenAsked, state);
    wakeIfDue(tracked, state);
  }
}

import { LeadershipLost } from './cluster.ts';
import { combineLookups, leftOutResult } from './combine-lookups.ts';
import type { NodeLookup } from './combine-lookups.ts';
import { lookUpInScope } from './look-up.ts';
import type { LookupResponse } from './look-up.ts';
import type { CloudScope } from './ownership.ts';
import type { NodeBatch } from './batches.ts';
import { isUninitialized } from '../../lib/node/read-node.ts';
import { recordFailure, releaseNode, wakeIfDue } from './changes.ts';
import type { ControllerState } from './state.ts';
import { reconcile } from './reconcile.ts';
import type { ReconcileInput } from './reconcile.ts';
import { createBeforeCall } from './scope-rate-limiter.ts';
import { cloudScopesOf } from './tracked-node.ts';
import type { TrackedNode } from './tracked-node.ts';

/** Asks for a group in all of its places, and does what follows for each of its nodes. Frees each when it is done. */
export async function processBatch(batch: NodeBatch, state: ControllerState, signal: AbortSignal): Promise<void> {
  const { members, cloudScopes } = batch;
  const askedAtMs = state.dependencies.clock.monotonicMs();
  const nodesWhenAsked = new Map(members.map(({ uid, node }) => [uid, node] as const));
  const responses = await Promise.all(cloudScopes.map((cloudScope) => lookUpBatch(cloudScope, batch, state, signal)));
  // Answers that were not waited for are no trouble of the cloud.
  if (signal.aborted) throw new LeadershipLost('the lead ended during a look-up');
  const lookupOf = new Map(members.map((tracked) => [tracked.uid, nodeLookupFor(tracked, responses)] as const));
  // A scope is told what holds for a node in the end: that it is not in this account says nothing if another one has it.
  const results = new Map([...lookupOf].map(([uid, { result }]) => [uid, result] as const));
  for (const [at, lookup] of responses.entries()) {
    const cloudScope = cloudScopes[at];
    if (cloudScope !== undefined) state.scopes.recordLookup(cloudScope, { ...lookup, results }, state.nodes);
  }
  const reconciling = members.map((tracked) => {
    const { uid, node } = tracked;
    const lookup = lookupOf.get(uid) ?? nodeLookupFor(tracked, responses);
    return reconcileOne(tracked, { lookup, askedAtMs, nodeWhenAsked: nodesWhenAsked.get(uid) ?? node }, state);
  });
  const failed = (await Promise.allSettled(reconciling)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function lookUpBatch(
  cloudScope: CloudScope,
  batch: NodeBatch,
  state: ControllerState,
  signal: AbortSignal,
): Promise<LookupResponse> {
  const { nodes, scopes, dependencies } = state;
  const { key } = cloudScope.scope;
  const context = dependencies.contextFor(signal);
  const request = {
    nodes: batch.members,
    // The Node of an uninitialized node is never deleted.
    verify: batch.members.every(({ node }) => isUninitialized(node)) ? [] : scopes.pickCanaries(nodes.values(), key),
  };
  const beforeCall = createBeforeCall(scopes.rateLimiterOf(key), context);
  return lookUpInScope(cloudScope, request, { ...context, beforeCall });
}

/** One node that cannot be written does not keep the others waiting. */
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

function nodeLookupFor(tracked: TrackedNode, responses: readonly LookupResponse[]): NodeLookup {
  const missingResult = leftOutResult(cloudScopesOf(tracked)[0]?.cloud.name ?? 'the cloud');
  const lookups = responses.map(({ results, canary }) => ({
    result: results.get(tracked.uid) ?? missingResult,
    canary,
  }));
  const [first, ...others] = lookups;
  return first === undefined
    ? { result: missingResult, canary: { asked: 0, found: 0 } }
    : combineLookups([first, ...others]);
}

import type { ScopeRateLimiter } from './scope-rate-limiter.ts';
import { isReady, isUninitialized } from '../../lib/node/read-node.ts';
import type { CloudScope } from './ownership.ts';
import { cloudScopesOf, batchKeyOf } from './tracked-node.ts';
import type { TrackedNode } from './tracked-node.ts';

/** Nodes that are looked up together, in each of their scopes. */
export interface NodeBatch {
  readonly members: readonly TrackedNode[];
  readonly cloudScopes: readonly CloudScope[];
}

export interface BatchConditions {
  readonly nowMs: number;
  rateLimiterOf(scopeKey: string): ScopeRateLimiter;
}

/** Due Nodes grouped by scopes, in batches that all of their scopes accept, while the rate limits of all allow it. */
export function dueBatches(tracked: Iterable<TrackedNode>, conditions: BatchConditions): readonly NodeBatch[] {
  const byScopes = Map.groupBy(dueNodes(tracked, conditions.nowMs), batchKeyOf);
  return [...byScopes.values()].flatMap((members) => splitIntoBatches(members, conditions));
}

function* dueNodes(tracked: Iterable<TrackedNode>, nowMs: number): Generator<TrackedNode> {
  for (const each of tracked) {
    if (!each.busy && each.dueAtMs <= nowMs && each.ownership.kind === 'ours') yield each;
  }
}

function splitIntoBatches(members: readonly TrackedNode[], conditions: BatchConditions): readonly NodeBatch[] {
  const [first] = members;
  if (first === undefined) return [];
  const cloudScopes = cloudScopesOf(first);
  const size = Math.min(...cloudScopes.map(({ cloud }) => cloud.instances.batchMax));
  const batches: NodeBatch[] = [];
  // New nodes first: pods wait for them.
  const ordered = members.toSorted((a, b) => Number(isUninitialized(b.node)) - Number(isUninitialized(a.node)));
  for (let at = 0; at < ordered.length; at += size) {
    const chunk = ordered.slice(at, at + size);
    const newNodes = chunk.filter(({ node }) => isUninitialized(node));
    const mayGrow = chunk.length < size && newNodes.length === chunk.length;
    const waitMs = Math.max(
      ...cloudScopes.map(({ scope }) => pauseMs(conditions.rateLimiterOf(scope.key), mayGrow, conditions.nowMs)),
    );
    if (waitMs > 0) {
      postpone(ordered.slice(at), conditions.nowMs + waitMs);
      break;
    }
    for (const { scope } of cloudScopes) {
      conditions.rateLimiterOf(scope.key).startBatch(conditions.nowMs, newNodes.length > 0);
    }
    batches.push({ members: chunk, cloudScopes });
  }
  return batches;
}

function pauseMs(rateLimiter: ScopeRateLimiter, mayGrow: boolean, nowMs: number): number {
  return Math.max(rateLimiter.waitMs(nowMs), mayGrow ? rateLimiter.gatherMs(nowMs) : 0);
}

function postpone(members: readonly TrackedNode[], untilMs: number): void {
  for (const tracked of members) tracked.dueAtMs = untilMs;
}

/** A Ready node with a providerID certainly exists. */
export function canBeCanary({ node, facts }: TrackedNode): boolean {
  return isReady(node) && !isUninitialized(node) && facts.providerId !== undefined;
}

import { gatheringMs } from './scope-rate-limiter.ts';
import type { ScopeRateLimiter } from './scope-rate-limiter.ts';
import { isReady, isUninitialized } from '../../lib/node/read-node.ts';
import type { CloudScope } from './ownership.ts';
import { cloudScopesOf, batchKeyOf, readyAtMs } from './tracked-node.ts';
import type { TrackedNode } from './tracked-node.ts';

/** Nodes that are looked up together, in each of their scopes. */
export interface NodeBatch {
  readonly members: readonly TrackedNode[];
  readonly cloudScopes: readonly CloudScope[];
  /** Further scopes of these Nodes, which accept no look-up now. */
  readonly closedScopes: readonly CloudScope[];
}

export interface BatchConditions {
  readonly nowMs: number;
  rateLimiterOf(scopeKey: string): ScopeRateLimiter;
}

/**
 * Due Nodes grouped by scopes, in batches that their scopes accept, while the rate limits allow it. New Nodes are first,
 * since pods wait for them, then those that have waited longest: no group waits for ever if groups share a scope.
 */
export function dueBatches(tracked: Iterable<TrackedNode>, conditions: BatchConditions): readonly NodeBatch[] {
  const due = [...tracked].filter((each) => each.ownership.kind === 'ours' && readyAtMs(each) <= conditions.nowMs);
  const isOld = ({ node }: TrackedNode): number => Number(!isUninitialized(node));
  const ordered = due.toSorted((a, b) => isOld(a) - isOld(b) || a.dueAtMs - b.dueAtMs);
  return [...Map.groupBy(ordered, batchKeyOf).values()].flatMap((members) => splitIntoBatches(members, conditions));
}

function splitIntoBatches(members: readonly TrackedNode[], conditions: BatchConditions): readonly NodeBatch[] {
  const [first] = members;
  if (first === undefined) return [];
  const { nowMs, rateLimiterOf } = conditions;
  const backoffMs = ({ scope }: CloudScope): number => rateLimiterOf(scope.key).backoffMs(nowMs);
  const allScopes = cloudScopesOf(first);
  // One scope in its backoff does not keep a new Node from being found in another one.
  const shortestMs = Math.min(...allScopes.map(backoffMs));
  if (shortestMs > 0) {
    hold(members, nowMs + shortestMs);
    return [];
  }
  const [closedScopes, cloudScopes] = [
    allScopes.filter((each) => backoffMs(each) > 0),
    allScopes.filter((each) => backoffMs(each) === 0),
  ];
  const rateLimiters = cloudScopes.map(({ scope }) => rateLimiterOf(scope.key));
  const size = Math.min(...cloudScopes.map(({ cloud }) => cloud.instances.batchMax));
  const batches: NodeBatch[] = [];
  for (let at = 0; at < members.length; at += size) {
    const chunk = members.slice(at, at + size);
    const newNodes = chunk.filter(({ node }) => isUninitialized(node));
    const hasNewNodes = newNodes.length > 0;
    const gatherMs =
      chunk.length < size && newNodes.length === chunk.length ? gatherLeftMs(chunk, rateLimiters, nowMs) : 0;
    const waitMs = Math.max(gatherMs, ...rateLimiters.map((rateLimiter) => rateLimiter.waitMs(nowMs, hasNewNodes)));
    if (waitMs > 0) {
      hold(members.slice(at), nowMs + waitMs);
      break;
    }
    for (const rateLimiter of rateLimiters) rateLimiter.startBatch(nowMs, hasNewNodes);
    batches.push({ members: chunk, cloudScopes, closedScopes });
  }
  return batches;
}

/** How long new Nodes still wait for more of them: a second since the last ones were looked up, or since they are due. */
function gatherLeftMs(
  newNodes: readonly TrackedNode[],
  rateLimiters: readonly ScopeRateLimiter[],
  nowMs: number,
): number {
  const waitedMs = nowMs - Math.min(...newNodes.map(({ dueAtMs }) => dueAtMs));
  return Math.min(gatheringMs - waitedMs, Math.max(...rateLimiters.map((rateLimiter) => rateLimiter.gatherMs(nowMs))));
}

function hold(members: readonly TrackedNode[], untilMs: number): void {
  for (const tracked of members) tracked.heldUntilMs = untilMs;
}

/** A Ready node with a providerID certainly exists. */
export function canBeCanary({ node, facts }: TrackedNode): boolean {
  return isReady(node) && !isUninitialized(node) && facts.providerId !== undefined;
}

import type { ScopeGate } from '../look-up/scope-gate.ts';
import type { Batch } from '../look-up/look.ts';
import { isReady, isUninitialized } from '../../lib/node/read-node.ts';
import type { Claim } from '../node/ownership.ts';
import { claimsOf, groupKeyOf } from './tracked.ts';
import type { Tracked } from './tracked.ts';

/** Nodes that are asked for at once, in each of their places. */
export interface Group {
  readonly members: readonly Tracked[];
  readonly claims: readonly Claim[];
}

export interface Choice {
  readonly nowMs: number;
  readonly canaryNodes: number;
  gateOf(scopeKey: string): ScopeGate;
}

/** Those that are due, by their places, as many at once as all of these take, and only where all are open. */
export function dueGroups(tracked: Iterable<Tracked>, choice: Choice): readonly Group[] {
  const waiting = Map.groupBy(dueOnes(tracked, choice.nowMs), groupKeyOf);
  return [...waiting.values()].flatMap((members) => chunksOf(members, choice));
}

function* dueOnes(tracked: Iterable<Tracked>, nowMs: number): Generator<Tracked> {
  for (const each of tracked) {
    if (!each.busy && each.dueAtMs <= nowMs && each.ownership.kind === 'ours') yield each;
  }
}

function chunksOf(members: readonly Tracked[], choice: Choice): readonly Group[] {
  const [first] = members;
  if (first === undefined) return [];
  const claims = claimsOf(first);
  const size = Math.max(1, Math.min(...claims.map(({ cloud }) => cloud.instances.batchMax)) - choice.canaryNodes);
  const groups: Group[] = [];
  // New nodes first: somebody waits for them.
  const ordered = members.toSorted((a, b) => Number(isUninitialized(b.node)) - Number(isUninitialized(a.node)));
  for (let at = 0; at < ordered.length; at += size) {
    const chunk = ordered.slice(at, at + size);
    const mayGrow = chunk.length < size && chunk.every(({ node }) => isUninitialized(node));
    const waitMs = Math.max(...claims.map(({ scope }) => pauseMs(choice.gateOf(scope.key), mayGrow, choice.nowMs)));
    if (waitMs > 0) {
      postpone(ordered.slice(at), choice.nowMs + waitMs);
      break;
    }
    for (const { scope } of claims) choice.gateOf(scope.key).take(choice.nowMs);
    groups.push({ members: chunk, claims });
  }
  return groups;
}

function pauseMs(gate: ScopeGate, mayGrow: boolean, nowMs: number): number {
  return Math.max(gate.waitMs(nowMs), mayGrow ? gate.gatherMs(nowMs) : 0);
}

function postpone(members: readonly Tracked[], untilMs: number): void {
  for (const tracked of members) tracked.dueAtMs = untilMs;
}

/** The question to one place. Where somebody may be gone and no Ready node is asked for anyway, some are added. */
export function batchFor(claim: Claim, { members }: Group, canaries: readonly Tracked[]): Batch {
  const ready = members.filter(isWitness);
  const needsCanaries = ready.length === 0 && members.some(({ node }) => !isUninitialized(node));
  return {
    claim,
    nodes: members.map(({ facts }) => facts),
    readyUids: new Set(ready.map(({ uid }) => uid)),
    canaries: needsCanaries ? canaries.map(({ facts }) => facts) : [],
  };
}

/** A Ready node that is known by its providerID certainly exists. */
export function isWitness({ node, facts }: Tracked): boolean {
  return isReady(node) && !isUninitialized(node) && facts.providerId !== undefined;
}

import type { Action } from '../../../ccm/lifecycle/decision.ts';
import type { LifecycleSettings } from '../../../ccm/lifecycle/settings.ts';

/**
 * What the design allows, written down a second time: as a question about all that has happened, without a look at the
 * function under test. `remember` reads the history one fact after the other and keeps what later questions need.
 */
export type Fact =
  { readonly is: 'restart' } | { readonly is: 'pass'; readonly uid: string; readonly readingMs: number } | Seen;

export interface Seen {
  readonly is: 'seen';
  readonly uid: string;
  readonly readingMs: number;
  readonly askedMs: number;
  readonly ageMs: number;
  readonly ready: boolean;
  readonly known: boolean;
  readonly ours: boolean;
  readonly said: 'nothing' | 'present' | 'stopped' | 'terminated' | 'not-found' | 'unknown' | 'ambiguous';
  readonly canaryGood: boolean;
  /** The scope as this one look-up saw it, where it is not the one of the history. */
  readonly scopeIs: 'as-it-was' | 'stopped' | 'slowed';
  readonly neighbour: { readonly said: 'nothing' | 'present' | 'not-found'; readonly isNode: boolean };
  /** An operator wrote the word that was shown for these nodes, at the stop of this number. */
  readonly confirmed?: { readonly nodes: readonly string[]; readonly stops: number };
}

export interface Memory {
  readonly uid: string;
  readonly readingMs: number;
  /** The last reading at which something spoke for the instance. */
  readonly aliveMs: number;
  readonly terminatedMs: readonly number[];
  readonly notFoundMs: readonly number[];
  readonly missingMs: ReadonlyMap<string, number>;
  readonly stoppedFor: ReadonlySet<string>;
  readonly allowed: ReadonlySet<string>;
  readonly stops: number;
  readonly passesMs: ReadonlyMap<string, number>;
}

export const nothingYet: Memory = {
  uid: '',
  readingMs: Number.NEGATIVE_INFINITY,
  aliveMs: Number.NEGATIVE_INFINITY,
  terminatedMs: [],
  notFoundMs: [],
  missingMs: new Map(),
  stoppedFor: new Set(),
  allowed: new Set(),
  stops: 0,
  passesMs: new Map(),
};

export function remember(memory: Memory, fact: Fact, promise: LifecycleSettings): Memory {
  if (fact.is === 'restart') return nothingYet;
  if (fact.is === 'pass') {
    return { ...memory, passesMs: new Map([...memory.passesMs, [fact.uid, fact.readingMs]]) };
  }
  return rememberScope(rememberNode(memory, fact), fact, promise);
}

/** Why a deletion that follows the last fact of a history is wrong; empty if it is right. */
export function wrongWith(memory: Memory, fact: Seen, action: Action, promise: LifecycleSettings): readonly string[] {
  if (action.do !== 'delete') return [];
  const claims: readonly (readonly [holds: boolean, wrong: string])[] = [
    [action.uid === fact.uid, 'the delete does not carry the UID'],
    [fact.ours, 'the Node is not ours'],
    [fact.known, 'its instance was never known'],
    [!fact.ready, 'the Node is Ready'],
    [fact.said === 'terminated' || fact.said === 'not-found', 'the cloud did not say that it is gone'],
    [fact.canaryGood, 'the canary is not good'],
    [isProven(memory, fact, promise), 'the cloud has not said so often enough, for long enough, uninterrupted'],
    [fact.said !== 'not-found' || fact.ageMs > promise.notFoundMinAgeMs, 'the Node is too young'],
    [fact.said !== 'not-found' || mayGo(memory, fact), 'too many are missing, and nobody confirmed'],
    [fact.said !== 'terminated' || isSlowEnough(memory, fact, promise), 'too many were deleted within the window'],
  ];
  return claims.filter(([holds]) => !holds).map(([, wrong]) => wrong);
}

function isProven(memory: Memory, fact: Seen, promise: LifecycleSettings): boolean {
  if (fact.said === 'terminated') {
    const early = memory.terminatedMs.some((atMs) => fact.askedMs - atMs >= promise.sightingsApartMs);
    return early && isSighting(memory, fact);
  }
  const early = memory.notFoundMs.some((atMs) => fact.askedMs - atMs >= promise.notFoundSpanMs);
  return early && memory.notFoundMs.length >= promise.notFoundSightings && isSighting(memory, fact);
}

function mayGo(memory: Memory, fact: Seen): boolean {
  if (fact.scopeIs === 'stopped') return false;
  return memory.stoppedFor.size === 0 || memory.allowed.has(fact.uid);
}

function isSlowEnough(memory: Memory, fact: Seen, promise: LifecycleSettings): boolean {
  if (fact.scopeIs === 'slowed') return false;
  const others = [...memory.passesMs].filter(
    ([uid, atMs]) => uid !== fact.uid && fact.readingMs - atMs < promise.terminatedWindowMs,
  );
  return others.length < promise.terminatedNodesPerWindow;
}

function rememberNode(memory: Memory, fact: Seen): Memory {
  const isAnother = fact.uid !== memory.uid || fact.readingMs < memory.readingMs;
  const isAlive = fact.ready || ['present', 'stopped', 'ambiguous'].includes(fact.said);
  const before =
    isAnother || isAlive ? { ...memory, terminatedMs: [], notFoundMs: [], aliveMs: Number.NEGATIVE_INFINITY } : memory;
  const after = {
    ...before,
    uid: fact.uid,
    readingMs: fact.readingMs,
    aliveMs: isAlive ? fact.readingMs : before.aliveMs,
  };
  if (!isSighting(after, fact)) return after;
  if (fact.said === 'terminated') return { ...after, terminatedMs: oldest(after.terminatedMs, fact.readingMs) };
  return { ...after, notFoundMs: oldest(after.notFoundMs, fact.readingMs) };
}

function isSighting(memory: Memory, fact: Seen): boolean {
  const isGone = fact.said === 'terminated' || fact.said === 'not-found';
  const isWhole = fact.ours && fact.known && !fact.ready && fact.canaryGood;
  return isGone && isWhole && fact.askedMs >= memory.aliveMs && fact.askedMs <= fact.readingMs;
}

/** Whether there are enough, and since when: later ones than the third say nothing more. */
function oldest(sightingsMs: readonly number[], atMs: number): readonly number[] {
  return [...sightingsMs, atMs].slice(0, 3);
}

function rememberScope(memory: Memory, fact: Seen, promise: LifecycleSettings): Memory {
  if (fact.said === 'nothing') return memory;
  const nodes = new Set([...(fact.known && fact.ours ? [fact.uid] : []), ...(fact.neighbour.isNode ? ['X'] : [])]);
  const missingMs = missingAfter(agedMissing(memory, fact, nodes, promise), fact, nodes);
  const allowed = new Set([...memory.allowed].filter((uid) => missingMs.has(uid)));
  const stoppedFor = new Set(stoppedAfter({ ...memory, missingMs, allowed }, fact, nodes, promise));
  const passesMs = asOf(fact.readingMs, memory.passesMs, promise.terminatedWindowMs);
  const stops = memory.stops + (memory.stoppedFor.size === 0 && stoppedFor.size > 0 ? 1 : 0);
  const after = { ...memory, missingMs, passesMs, allowed, stoppedFor, stops };
  if (stoppedFor.size === 0 || fact.confirmed === undefined || !isFor(after, fact.confirmed)) return after;
  return { ...after, allowed: new Set(missingMs.keys()), stoppedFor: new Set() };
}

/** For whom deletions are stopped: all that are missing, once too many are, until nobody is. */
function stoppedAfter(
  { missingMs, allowed, stoppedFor }: Memory,
  { readingMs }: Seen,
  nodes: ReadonlySet<string>,
  promise: LifecycleSettings,
): readonly string[] {
  const waiting = [...missingMs.keys()].filter((uid) => nodes.has(uid) && !allowed.has(uid));
  const counted = [...missingMs].filter(
    ([uid, atMs]) => !allowed.has(uid) && readingMs - atMs < promise.breakerWindowMs,
  );
  return stoppedFor.size > 0 || counted.length > promise.breakerNodes ? waiting : [];
}

/** Without what is over: once out of the window, nothing comes back into it, not even when the clock goes back. */
function asOf(readingMs: number, timesMs: ReadonlyMap<string, number>, windowMs: number): ReadonlyMap<string, number> {
  const recent = [...timesMs].filter(([, atMs]) => readingMs - atMs < windowMs);
  return new Map(recent.map(([uid, atMs]) => [uid, Math.min(atMs, readingMs)]));
}

/** A Node stays missing for as long as it is one; it counts within the window only. */
function agedMissing(
  memory: Memory,
  { readingMs }: Seen,
  nodes: ReadonlySet<string>,
  promise: LifecycleSettings,
): ReadonlyMap<string, number> {
  const still = [...memory.missingMs.keys()].filter((uid) => nodes.has(uid));
  return new Map([
    ...still.map((uid) => [uid, Number.NEGATIVE_INFINITY] as const),
    ...asOf(readingMs, memory.missingMs, promise.breakerWindowMs),
  ]);
}

function missingAfter(
  before: ReadonlyMap<string, number>,
  fact: Seen,
  nodes: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const said = new Map<string, Seen['said']>([
    [fact.uid, fact.said],
    ['X', fact.neighbour.said],
  ]);
  const missingMs = new Map(before);
  for (const [uid, word] of said) {
    if (isBack(word, fact)) missingMs.delete(uid);
    if (word === 'not-found' && fact.canaryGood && nodes.has(uid)) missingMs.set(uid, fact.readingMs);
  }
  return missingMs;
}

function isBack(said: Seen['said'], { canaryGood }: Seen): boolean {
  return said === 'present' || said === 'stopped' || (said === 'terminated' && canaryGood);
}

function isFor(memory: Memory, { nodes, stops }: { nodes: readonly string[]; stops: number }): boolean {
  return stops === memory.stops && nodes.toSorted().join() === [...memory.stoppedFor].toSorted().join();
}

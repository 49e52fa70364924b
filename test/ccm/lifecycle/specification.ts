import type { LifecycleAction } from '../../../ccm/lifecycle/decision.ts';
import type { LifecycleSettings } from '../../../ccm/lifecycle/settings.ts';

/**
 * What the design allows, written down a second time: as a question about all that has happened, without a look at the
 * function under test. `remember` reads the history one fact after the other and keeps what later questions need.
 */
export type HistoryEvent =
  | { readonly is: 'restart' }
  | { readonly is: 'pass'; readonly uid: string; readonly readingMs: number }
  | ObservedEvent;

export interface ObservedEvent {
  readonly is: 'seen';
  readonly uid: string;
  readonly readingMs: number;
  readonly askedMs: number;
  readonly ageMs: number;
  readonly ready: boolean;
  readonly known: boolean;
  readonly ours: boolean;
  readonly status: 'nothing' | 'running' | 'stopped' | 'terminated' | 'not-found' | 'unknown' | 'ambiguous';
  readonly canaryGood: boolean;
  /** The scope as this one look-up saw it, where it is not the one of the history. */
  readonly scopeState: 'as-it-was' | 'stopped' | 'slowed';
  readonly neighbour: { readonly status: 'nothing' | 'running' | 'not-found'; readonly isNode: boolean };
  /** An operator wrote the word that was shown for these nodes, at the stop of this number. */
  readonly confirmed?: { readonly nodes: readonly string[]; readonly stopCount: number };
}

export interface EventHistory {
  readonly uid: string;
  readonly readingMs: number;
  /** The last reading at which something spoke for the instance. */
  readonly aliveMs: number;
  readonly terminatedMs: readonly number[];
  readonly notFoundMs: readonly number[];
  readonly missingMs: ReadonlyMap<string, number>;
  readonly stoppedFor: ReadonlySet<string>;
  readonly allowed: ReadonlySet<string>;
  readonly stopCount: number;
  readonly passesMs: ReadonlyMap<string, number>;
}

export const emptyHistory: EventHistory = {
  uid: '',
  readingMs: Number.NEGATIVE_INFINITY,
  aliveMs: Number.NEGATIVE_INFINITY,
  terminatedMs: [],
  notFoundMs: [],
  missingMs: new Map(),
  stoppedFor: new Set(),
  allowed: new Set(),
  stopCount: 0,
  passesMs: new Map(),
};

export function appendEvent(history: EventHistory, event: HistoryEvent, promised: LifecycleSettings): EventHistory {
  if (event.is === 'restart') return emptyHistory;
  if (event.is === 'pass') {
    return { ...history, passesMs: new Map([...history.passesMs, [event.uid, event.readingMs]]) };
  }
  return appendScope(appendNode(history, event), event, promised);
}

/** Why a deletion that follows the last fact of a history is wrong; empty if it is right. */
export function violationsOf(
  history: EventHistory,
  event: ObservedEvent,
  action: LifecycleAction,
  promised: LifecycleSettings,
): readonly string[] {
  if (action.do !== 'delete') return [];
  const requirements: readonly (readonly [holds: boolean, wrong: string])[] = [
    [action.uid === event.uid, 'the delete does not carry the UID'],
    [event.ours, 'the Node is not ours'],
    [event.known, 'its instance was never known'],
    [!event.ready, 'the Node is Ready'],
    [event.status === 'terminated' || event.status === 'not-found', 'the cloud did not say that it is gone'],
    [event.canaryGood, 'the canary is not good'],
    [
      hasEnoughEvidence(history, event, promised),
      'the cloud has not reported it often enough, for long enough, uninterrupted',
    ],
    [event.status !== 'not-found' || event.ageMs > promised.notFoundMinAgeMs, 'the Node is too young'],
    [event.status !== 'not-found' || mayDelete(history, event), 'too many are missing, and nobody confirmed'],
    [
      event.status !== 'terminated' || isWithinRate(history, event, promised),
      'too many were deleted within the window',
    ],
  ];
  return requirements.filter(([holds]) => !holds).map(([, violation]) => violation);
}

function hasEnoughEvidence(history: EventHistory, event: ObservedEvent, promised: LifecycleSettings): boolean {
  if (event.status === 'terminated') {
    const early = history.terminatedMs.some((atMs) => event.askedMs - atMs >= promised.sightingsApartMs);
    return early && isSighting(history, event);
  }
  const early = history.notFoundMs.some((atMs) => event.askedMs - atMs >= promised.notFoundSpanMs);
  return early && history.notFoundMs.length >= promised.notFoundSightings && isSighting(history, event);
}

function mayDelete(history: EventHistory, event: ObservedEvent): boolean {
  if (event.scopeState === 'stopped') return false;
  return history.stoppedFor.size === 0 || history.allowed.has(event.uid);
}

function isWithinRate(history: EventHistory, event: ObservedEvent, promised: LifecycleSettings): boolean {
  if (event.scopeState === 'slowed') return false;
  const others = [...history.passesMs].filter(
    ([uid, atMs]) => uid !== event.uid && event.readingMs - atMs < promised.terminatedWindowMs,
  );
  return others.length < promised.terminatedNodesPerWindow;
}

function appendNode(history: EventHistory, event: ObservedEvent): EventHistory {
  const isAnother = event.uid !== history.uid || event.readingMs < history.readingMs;
  const isAlive = event.ready || ['running', 'stopped', 'ambiguous'].includes(event.status);
  const before =
    isAnother || isAlive
      ? { ...history, terminatedMs: [], notFoundMs: [], aliveMs: Number.NEGATIVE_INFINITY }
      : history;
  const after = {
    ...before,
    uid: event.uid,
    readingMs: event.readingMs,
    aliveMs: isAlive ? event.readingMs : before.aliveMs,
  };
  if (!isSighting(after, event)) return after;
  if (event.status === 'terminated') return { ...after, terminatedMs: oldest(after.terminatedMs, event.readingMs) };
  return { ...after, notFoundMs: oldest(after.notFoundMs, event.readingMs) };
}

function isSighting(history: EventHistory, event: ObservedEvent): boolean {
  const isGone = event.status === 'terminated' || event.status === 'not-found';
  const isWhole = event.ours && event.known && !event.ready && event.canaryGood;
  return isGone && isWhole && event.askedMs >= history.aliveMs && event.askedMs <= event.readingMs;
}

/** Whether there are enough, and since when: later ones than the third say nothing more. */
function oldest(sightingsMs: readonly number[], atMs: number): readonly number[] {
  return [...sightingsMs, atMs].slice(0, 3);
}

function appendScope(history: EventHistory, event: ObservedEvent, promised: LifecycleSettings): EventHistory {
  if (event.status === 'nothing') return history;
  const nodes = new Set([...(event.known && event.ours ? [event.uid] : []), ...(event.neighbour.isNode ? ['X'] : [])]);
  const missingMs = missingAfter(agedMissing(history, event, nodes, promised), event, nodes);
  const allowed = new Set([...history.allowed].filter((uid) => missingMs.has(uid)));
  const stoppedFor = new Set(stoppedAfter({ ...history, missingMs, allowed }, event, nodes, promised));
  const passesMs = asOf(event.readingMs, history.passesMs, promised.terminatedWindowMs);
  const stopCount = history.stopCount + (history.stoppedFor.size === 0 && stoppedFor.size > 0 ? 1 : 0);
  const after = { ...history, missingMs, passesMs, allowed, stoppedFor, stopCount };
  if (stoppedFor.size === 0 || event.confirmed === undefined || !isFor(after, event.confirmed)) return after;
  return { ...after, allowed: new Set(missingMs.keys()), stoppedFor: new Set() };
}

/** The nodes whose deletion is stopped: all that are missing, from when too many are until none is. */
function stoppedAfter(
  { missingMs, allowed, stoppedFor }: EventHistory,
  { readingMs }: ObservedEvent,
  nodes: ReadonlySet<string>,
  promised: LifecycleSettings,
): readonly string[] {
  const waiting = [...missingMs.keys()].filter((uid) => nodes.has(uid) && !allowed.has(uid));
  const counted = [...missingMs].filter(
    ([uid, atMs]) => !allowed.has(uid) && readingMs - atMs < promised.breakerWindowMs,
  );
  return stoppedFor.size > 0 || counted.length > promised.breakerNodes ? waiting : [];
}

/** Without what is over: once out of the window, nothing comes back into it, not even when the clock goes back. */
function asOf(readingMs: number, timesMs: ReadonlyMap<string, number>, windowMs: number): ReadonlyMap<string, number> {
  const recent = [...timesMs].filter(([, atMs]) => readingMs - atMs < windowMs);
  return new Map(recent.map(([uid, atMs]) => [uid, Math.min(atMs, readingMs)]));
}

/** A Node stays missing for as long as it is one; it counts within the window only. */
function agedMissing(
  history: EventHistory,
  { readingMs }: ObservedEvent,
  nodes: ReadonlySet<string>,
  promised: LifecycleSettings,
): ReadonlyMap<string, number> {
  const still = [...history.missingMs.keys()].filter((uid) => nodes.has(uid));
  return new Map([
    ...still.map((uid) => [uid, Number.NEGATIVE_INFINITY] as const),
    ...asOf(readingMs, history.missingMs, promised.breakerWindowMs),
  ]);
}

function missingAfter(
  before: ReadonlyMap<string, number>,
  event: ObservedEvent,
  nodes: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const statuses = new Map<string, ObservedEvent['status']>([
    [event.uid, event.status],
    ['X', event.neighbour.status],
  ]);
  const missingMs = new Map(before);
  for (const [uid, status] of statuses) {
    if (isBack(status, event)) missingMs.delete(uid);
    if (status === 'not-found' && event.canaryGood && nodes.has(uid)) missingMs.set(uid, event.readingMs);
  }
  return missingMs;
}

function isBack(status: ObservedEvent['status'], { canaryGood }: ObservedEvent): boolean {
  return status === 'running' || status === 'stopped' || (status === 'terminated' && canaryGood);
}

function isFor(history: EventHistory, { nodes, stopCount }: { nodes: readonly string[]; stopCount: number }): boolean {
  return stopCount === history.stopCount && nodes.toSorted().join() === [...history.stoppedFor].toSorted().join();
}

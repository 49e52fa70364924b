import { createHash } from 'node:crypto';
import type { LookupResult, NodeUid } from '../../clouds/index.ts';
import { isCanaryGood } from './canary.ts';
import type { Canary } from './canary.ts';
import { isFound } from './result-kinds.ts';
import type { LifecycleSettings } from './settings.ts';

/** The memory of one scope, for the breaker and the rate limit of deletions. It is not stored. */
export interface ScopeRecord {
  readonly key: string;
  readonly knownNodes: number;
  readonly lastAtMs: number;
  readonly missing: ReadonlyMap<NodeUid, MissingNode>;
  /** The breaker is open: deletions by `not-found` are stopped. */
  readonly open: boolean;
  /** Goes up whenever deletions are stopped, so that a token that stayed on a Node does not confirm a later stop. */
  readonly stopCount: number;
  /** When each Node was deleted by `terminated`, within the window. */
  readonly terminated: ReadonlyMap<NodeUid, number>;
}

/** A known node whose last conclusive result was `not-found`. */
export interface MissingNode {
  readonly lastAtMs: number;
  /** A Node that was deleted still counts until the window has passed. */
  readonly nodeExists: boolean;
  readonly confirmed: boolean;
}

/** One look-up. It is recorded in its scope before any of its nodes is decided on. */
export interface ScopeLookup {
  /** Every Node of this scope with a providerID and without the uninitialized taint. */
  readonly known: ReadonlySet<NodeUid>;
  readonly results: ReadonlyMap<NodeUid, LookupResult>;
  readonly canary: Canary;
  /** The confirmations that are written on Nodes. */
  readonly confirmed: ReadonlyMap<NodeUid, string>;
}

/** `stops` begins at a value of its own for each leader: a confirmation under another leader does not count. */
export function createScopeRecord(key: string, nowMs: number, stopCount = 0): ScopeRecord {
  return {
    key,
    knownNodes: 0,
    lastAtMs: nowMs,
    missing: new Map(),
    open: false,
    stopCount,
    terminated: new Map(),
  };
}

/** Opens the breaker if too many go missing within the window, and closes it when all are back or confirmed. */
export function observeScope(
  record: ScopeRecord,
  lookup: ScopeLookup,
  settings: LifecycleSettings,
  nowMs: number,
): ScopeRecord {
  const updated = applyLookup(
    nowMs >= record.lastAtMs ? record : restartWindows(record, nowMs),
    lookup,
    settings,
    nowMs,
  );
  const open = isOpen(updated, settings);
  const scope = { ...updated, open, stopCount: open && !updated.open ? updated.stopCount + 1 : updated.stopCount };
  return scope.open && isConfirmed(scope, lookup.confirmed) ? confirm(scope) : scope;
}

/** Whether it can matter for a later decision. Without a look-up it can until the longest window has passed. */
export function isStillRelevant(record: ScopeRecord | undefined, settings: LifecycleSettings, nowMs: number): boolean {
  if (record === undefined) return false;
  const { open, missing, terminated, lastAtMs } = record;
  const windowMs = Math.max(settings.breakerWindowMs, settings.terminatedWindowMs);
  return (open || missing.size > 0 || terminated.size > 0) && nowMs - lastAtMs < windowMs;
}

/** More than this many within a window are too many. Not rounded: compare with `>` or `<=`. */
export function limitOf(knownNodes: number, minNodes: number, percent: number): number {
  return Math.max(minNodes, (knownNodes * percent) / 100);
}

/** What an operator writes to confirm the deletion of the missing Nodes. */
export function confirmationTokenFor(scope: ScopeRecord): string {
  return confirmationToken({ ...scope, nodes: unconfirmedNodes(scope) });
}

const tokenLength = 10;

/** What a token confirms: exactly these Nodes, missing in exactly this scope, at this one stop of deletions. */
export interface ConfirmationSubject {
  readonly key: string;
  readonly stopCount: number;
  readonly nodes: readonly NodeUid[];
}

/** It changes when another node goes missing, when one returns, and when deletions are stopped again. */
export function confirmationToken({ key, stopCount, nodes }: ConfirmationSubject): string {
  const content = JSON.stringify([key, stopCount, ...nodes.toSorted()]);
  return createHash('sha256').update(content).digest('hex').slice(0, tokenLength);
}

/** Only on a Node that the breaker keeps: the kubelet of a healthy node may write annotations on its own Node. */
function isConfirmed(scope: ScopeRecord, confirmed: ScopeLookup['confirmed']): boolean {
  const token = confirmationTokenFor(scope);
  return unconfirmedNodes(scope).some((uid) => confirmed.get(uid) === token);
}

/** The Nodes that an open breaker keeps. */
export function unconfirmedNodes({ missing }: ScopeRecord): readonly NodeUid[] {
  return [...missing].filter(([, { nodeExists, confirmed }]) => nodeExists && !confirmed).map(([uid]) => uid);
}

function applyLookup(
  record: ScopeRecord,
  lookup: ScopeLookup,
  settings: LifecycleSettings,
  nowMs: number,
): ScopeRecord {
  const missing = new Map<NodeUid, MissingNode>();
  for (const [uid, entry] of record.missing) {
    const nodeExists = lookup.known.has(uid);
    const isRecent = nowMs - entry.lastAtMs < settings.breakerWindowMs;
    if ((nodeExists || isRecent) && !isBack(lookup.results.get(uid), lookup.canary)) {
      missing.set(uid, { ...entry, nodeExists });
    }
  }
  if (isCanaryGood(lookup.canary)) {
    for (const uid of newlyMissing(lookup)) {
      missing.set(uid, { lastAtMs: nowMs, nodeExists: true, confirmed: missing.get(uid)?.confirmed ?? false });
    }
  }
  const terminated = [...record.terminated].filter(([, atMs]) => nowMs - atMs < settings.terminatedWindowMs);
  return { ...record, knownNodes: lookup.known.size, lastAtMs: nowMs, missing, terminated: new Map(terminated) };
}

/** A cloud that reports `terminated` sees the instance, so it is not missing. */
function isBack(result: LookupResult | undefined, canary: Canary): boolean {
  return isFound(result) || (result?.status === 'terminated' && isCanaryGood(canary));
}

function newlyMissing({ known, results }: ScopeLookup): readonly NodeUid[] {
  return [...known].filter((uid) => results.get(uid)?.status === 'not-found');
}

function isOpen(scope: ScopeRecord, settings: LifecycleSettings): boolean {
  if (unconfirmedNodes(scope).length === 0) return false;
  const { lastAtMs: nowMs, missing, knownNodes } = scope;
  const counted = [...missing.values()].filter(
    ({ confirmed, lastAtMs }) => !confirmed && nowMs - lastAtMs < settings.breakerWindowMs,
  );
  return scope.open || counted.length > limitOf(knownNodes, settings.breakerNodes, settings.breakerPercent);
}

/** Confirms those that are missing now, and none that goes missing later. */
function confirm(scope: ScopeRecord): ScopeRecord {
  const missing = [...scope.missing].map(([uid, entry]) => [uid, { ...entry, confirmed: true }] as const);
  return { ...scope, open: false, missing: new Map(missing) };
}

/** A clock that went back must neither close the breaker nor speed up a deletion: all times become now. */
function restartWindows(record: ScopeRecord, nowMs: number): ScopeRecord {
  const missing = [...record.missing].map(([uid, entry]) => [uid, { ...entry, lastAtMs: nowMs }] as const);
  const terminated = [...record.terminated].map(([uid]) => [uid, nowMs] as const);
  return { ...record, missing: new Map(missing), terminated: new Map(terminated) };
}

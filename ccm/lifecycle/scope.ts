import type { LookupResult, NodeUid } from '../../clouds/index.ts';
import { isCanaryGood } from './canary.ts';
import type { Canary } from './canary.ts';
import { confirmationToken } from './confirmation-token.ts';
import { isFound } from './result-kinds.ts';
import type { LifecycleSettings } from './settings.ts';

/** What is remembered of one scope, for the breaker and for the pace of deletions. In memory only. */
export interface ScopeRecord {
  readonly key: string;
  readonly knownNodes: number;
  readonly lastAtMs: number;
  readonly missing: ReadonlyMap<NodeUid, MissingNode>;
  /** Are deletions by `not-found` stopped? */
  readonly open: boolean;
  /** Goes up whenever deletions are stopped, so that a word which stayed on a Node is of no use for a later stop. */
  readonly stopCount: number;
  /** When each Node was deleted by `terminated`, as far as it still counts. */
  readonly terminated: ReadonlyMap<NodeUid, number>;
}

/** A known node that the cloud said not to find, and not otherwise since. */
export interface MissingNode {
  readonly lastAtMs: number;
  /** Is there still a Node? One that was deleted counts until the window has passed. */
  readonly nodeExists: boolean;
  readonly confirmed: boolean;
}

/** One look-up, told to its scope before any of its nodes is decided on. */
export interface ScopeLookup {
  /** Every Node of this scope with a providerID and without the uninitialized taint. */
  readonly known: ReadonlySet<NodeUid>;
  readonly results: ReadonlyMap<NodeUid, LookupResult>;
  readonly canary: Canary;
  /** The confirmations that are written on Nodes. */
  readonly confirmed: ReadonlyMap<NodeUid, string>;
}

/** `stops` begins where no earlier leader has been: what was confirmed under another lead confirms nothing. */
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

/** Opens the breaker when too many are missing within the window; it closes when all are back, or are confirmed. */
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

/** Does anything in it matter for a later decision? Without a look-up it does until the longest window has passed. */
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

/** What an operator has to write to let the missing Nodes go. */
export function confirmationTokenFor(scope: ScopeRecord): string {
  return confirmationToken({ ...scope, nodes: unconfirmedNodes(scope) });
}

/** Only on a Node for which the breaker waits: the kubelet of a healthy node may be able to write on its own. */
function isConfirmed(scope: ScopeRecord, confirmed: ScopeLookup['confirmed']): boolean {
  const token = confirmationTokenFor(scope);
  return unconfirmedNodes(scope).some((uid) => confirmed.get(uid) === token);
}

/** The Nodes for which an open breaker waits. */
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

/** `terminated` too is said by a cloud that sees the instance, if it sees anything. */
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

/** Those that are missing now, and nobody who goes missing later. */
function confirm(scope: ScopeRecord): ScopeRecord {
  const missing = [...scope.missing].map(([uid, entry]) => [uid, { ...entry, confirmed: true }] as const);
  return { ...scope, open: false, missing: new Map(missing) };
}

/** A clock that went back must neither close a breaker nor quicken a deletion: all that was counts as of now. */
function restartWindows(record: ScopeRecord, nowMs: number): ScopeRecord {
  const missing = [...record.missing].map(([uid, entry]) => [uid, { ...entry, lastAtMs: nowMs }] as const);
  const terminated = [...record.terminated].map(([uid]) => [uid, nowMs] as const);
  return { ...record, missing: new Map(missing), terminated: new Map(terminated) };
}

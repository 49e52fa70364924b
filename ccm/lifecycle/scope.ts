import type { Finding, NodeUid } from '../../clouds/index.ts';
import { isGood } from './canary.ts';
import type { Canary } from './canary.ts';
import { confirmationWord } from './confirmation-word.ts';
import type { LifecycleSettings } from './settings.ts';

/** What is remembered of one scope, for the breaker and for the pace of deletions. In memory only. */
export interface ScopeRecord {
  readonly key: string;
  readonly knownNodes: number;
  readonly lastAtMs: number;
  readonly missing: ReadonlyMap<NodeUid, Missing>;
  /** Are deletions by `not-found` stopped? */
  readonly open: boolean;
  /** Goes up whenever deletions are stopped, so that a word which stayed on a Node is of no use for a later stop. */
  readonly stops: number;
  /** When each Node was deleted by `terminated`, as far as it still counts. */
  readonly terminated: ReadonlyMap<NodeUid, number>;
}

/** A known node that the cloud said not to find, and not otherwise since. */
export interface Missing {
  readonly lastAtMs: number;
  /** Is there still a Node? One that was deleted counts until the window has passed. */
  readonly isNode: boolean;
  readonly confirmed: boolean;
}

/** One look-up, told to its scope before any of its nodes is decided on. */
export interface ScopeLook {
  /** Every Node of this scope with a providerID and without the uninitialized taint. */
  readonly known: ReadonlySet<NodeUid>;
  readonly findings: ReadonlyMap<NodeUid, Finding>;
  readonly canary: Canary;
  /** The confirmations that are written on Nodes. */
  readonly confirmed: ReadonlyMap<NodeUid, string>;
}

/** `stops` begins where no earlier leader has been: what was confirmed under another lead confirms nothing. */
export function beginScope(key: string, nowMs: number, stops = 0): ScopeRecord {
  return {
    key,
    knownNodes: 0,
    lastAtMs: nowMs,
    missing: new Map(),
    open: false,
    stops,
    terminated: new Map(),
  };
}

/** Opens the breaker when too many are missing within the window; it closes when all are back, or are confirmed. */
export function observeScope(
  record: ScopeRecord,
  look: ScopeLook,
  settings: LifecycleSettings,
  nowMs: number,
): ScopeRecord {
  const told = tell(nowMs >= record.lastAtMs ? record : startWindowsAgain(record, nowMs), look, settings, nowMs);
  const open = isOpen(told, settings);
  const scope = { ...told, open, stops: open && !told.open ? told.stops + 1 : told.stops };
  return scope.open && isConfirmed(scope, look.confirmed) ? confirm(scope) : scope;
}

/** Does anything in it matter for a later decision? Without a look-up it does until the longest window has passed. */
export function counts(record: ScopeRecord | undefined, settings: LifecycleSettings, nowMs: number): boolean {
  if (record === undefined) return false;
  const { open, missing, terminated, lastAtMs } = record;
  const windowMs = Math.max(settings.breakerWindowMs, settings.terminatedWindowMs);
  return (open || missing.size > 0 || terminated.size > 0) && nowMs - lastAtMs < windowMs;
}

/** More than this many within a window are too many. Not rounded: compare with `>` or `<=`. */
export function limitOf(knownNodes: number, leastNodes: number, percent: number): number {
  return Math.max(leastNodes, (knownNodes * percent) / 100);
}

/** What an operator has to write to let the missing Nodes go. */
export function wordFor(scope: ScopeRecord): string {
  return confirmationWord({ ...scope, nodes: unconfirmedNodes(scope) });
}

/** Only on a Node for which the breaker waits: the kubelet of a healthy node may be able to write on its own. */
function isConfirmed(scope: ScopeRecord, confirmed: ScopeLook['confirmed']): boolean {
  const word = wordFor(scope);
  return unconfirmedNodes(scope).some((uid) => confirmed.get(uid) === word);
}

/** The Nodes for which an open breaker waits. */
export function unconfirmedNodes({ missing }: ScopeRecord): readonly NodeUid[] {
  return [...missing].filter(([, { isNode, confirmed }]) => isNode && !confirmed).map(([uid]) => uid);
}

function tell(record: ScopeRecord, look: ScopeLook, settings: LifecycleSettings, nowMs: number): ScopeRecord {
  const missing = new Map<NodeUid, Missing>();
  for (const [uid, entry] of record.missing) {
    const isNode = look.known.has(uid);
    const isRecent = nowMs - entry.lastAtMs < settings.breakerWindowMs;
    if ((isNode || isRecent) && !isBack(look.findings.get(uid), look.canary)) missing.set(uid, { ...entry, isNode });
  }
  if (isGood(look.canary)) {
    for (const uid of newlyMissing(look)) {
      missing.set(uid, { lastAtMs: nowMs, isNode: true, confirmed: missing.get(uid)?.confirmed ?? false });
    }
  }
  const terminated = [...record.terminated].filter(([, atMs]) => nowMs - atMs < settings.terminatedWindowMs);
  return { ...record, knownNodes: look.known.size, lastAtMs: nowMs, missing, terminated: new Map(terminated) };
}

/** `terminated` too is said by a cloud that sees the instance, if it sees anything. */
function isBack(finding: Finding | undefined, canary: Canary): boolean {
  return finding?.is === 'present' || (finding?.is === 'gone' && finding.word === 'terminated' && isGood(canary));
}

function newlyMissing({ known, findings }: ScopeLook): readonly NodeUid[] {
  return [...known].filter((uid) => {
    const finding = findings.get(uid);
    return finding?.is === 'gone' && finding.word === 'not-found';
  });
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
function startWindowsAgain(record: ScopeRecord, nowMs: number): ScopeRecord {
  const missing = [...record.missing].map(([uid, entry]) => [uid, { ...entry, lastAtMs: nowMs }] as const);
  const terminated = [...record.terminated].map(([uid]) => [uid, nowMs] as const);
  return { ...record, missing: new Map(missing), terminated: new Map(terminated) };
}

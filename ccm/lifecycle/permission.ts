import type { NodeUid } from '../../clouds/index.ts';
import type { GoneWord } from './record.ts';
import { limitOf, unconfirmedNodes } from './scope.ts';
import type { ScopeRecord } from './scope.ts';
import type { LifecycleSettings } from './settings.ts';

/** Whether a scope lets a Node go, and if not, why. */
export interface Permission {
  readonly given: boolean;
  readonly reason: string;
  /** Absent: no time by itself. */
  readonly againInMs?: number;
}

export interface Request {
  readonly uid: NodeUid;
  readonly word: GoneWord;
}

export function permissionOf(
  scope: ScopeRecord,
  request: Request,
  settings: LifecycleSettings,
  nowMs: number,
): Permission {
  return request.word === 'not-found' ? byBreaker(scope, request.uid) : byPace(scope, request.uid, settings, nowMs);
}

/** To be kept whatever becomes of the delete: one that fails is asked for again, and does not count twice. */
export function noteDeletion(scope: ScopeRecord, { uid, word }: Request, nowMs: number): ScopeRecord {
  if (word === 'not-found') return scope;
  return { ...scope, terminated: new Map([...scope.terminated, [uid, nowMs]]) };
}

function byBreaker(scope: ScopeRecord, uid: NodeUid): Permission {
  const missing = scope.missing.get(uid);
  if (missing === undefined) return { given: false, reason: 'its scope was not told that it is missing' };
  if (!scope.open) return { given: true, reason: 'not too many are missing' };
  if (missing.confirmed) return { given: true, reason: 'an operator confirmed it' };
  const { length } = unconfirmedNodes(scope);
  return {
    given: false,
    reason:
      `too many nodes of ${scope.key} went missing: ${length} of ${scope.knownNodes} are; ` +
      `deletions go on when they are back or an operator confirms; /statusz of the leader and its log say how`,
  };
}

function byPace(scope: ScopeRecord, uid: NodeUid, settings: LifecycleSettings, nowMs: number): Permission {
  const { terminatedNodesPerWindow, terminatedPercentPerWindow, terminatedWindowMs } = settings;
  const limit = limitOf(scope.knownNodes, terminatedNodesPerWindow, terminatedPercentPerWindow);
  const others = [...scope.terminated].filter(
    ([other, atMs]) => other !== uid && nowMs - atMs < settings.terminatedWindowMs,
  );
  if (others.length + 1 <= limit) return { given: true, reason: 'the pace allows it' };
  const oldestAtMs = Math.min(...others.map(([, atMs]) => atMs));
  return {
    given: false,
    reason: `${others.length} terminated nodes of ${scope.key} were deleted within ${terminatedWindowMs / 1000} s`,
    againInMs: oldestAtMs + terminatedWindowMs - nowMs,
  };
}

import type { NodeUid } from '../../clouds/index.ts';
import type { GoneStatus } from './result-kinds.ts';
import { limitOf, unconfirmedNodes } from './scope.ts';
import type { ScopeRecord } from './scope.ts';
import type { LifecycleSettings } from './settings.ts';

/** Whether a scope allows the deletion of a Node, and if not, why. */
export interface DeletionPermission {
  readonly given: boolean;
  readonly reason: string;
  /** Absent: not after a certain time. */
  readonly retryInMs?: number;
}

export interface DeletionRequest {
  readonly uid: NodeUid;
  readonly status: GoneStatus;
}

export function permissionOf(
  scope: ScopeRecord,
  request: DeletionRequest,
  settings: LifecycleSettings,
  nowMs: number,
): DeletionPermission {
  return request.status === 'not-found'
    ? checkBreaker(scope, request.uid)
    : checkRateLimit(scope, request.uid, settings, nowMs);
}

/** Recorded even if the delete fails: its retry does not count twice. */
export function recordDeletion(scope: ScopeRecord, { uid, status }: DeletionRequest, nowMs: number): ScopeRecord {
  if (status === 'not-found') return scope;
  return { ...scope, terminated: new Map([...scope.terminated, [uid, nowMs]]) };
}

function checkBreaker(scope: ScopeRecord, uid: NodeUid): DeletionPermission {
  const missing = scope.missing.get(uid);
  if (missing === undefined) return { given: false, reason: 'its scope has no record that it is missing' };
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

function checkRateLimit(
  scope: ScopeRecord,
  uid: NodeUid,
  settings: LifecycleSettings,
  nowMs: number,
): DeletionPermission {
  const { terminatedNodesPerWindow, terminatedPercentPerWindow, terminatedWindowMs } = settings;
  const limit = limitOf(scope.knownNodes, terminatedNodesPerWindow, terminatedPercentPerWindow);
  const others = [...scope.terminated].filter(
    ([other, atMs]) => other !== uid && nowMs - atMs < settings.terminatedWindowMs,
  );
  if (others.length + 1 <= limit) return { given: true, reason: 'the rate limit allows it' };
  const oldestAtMs = Math.min(...others.map(([, atMs]) => atMs));
  return {
    given: false,
    reason: `${others.length} terminated nodes of ${scope.key} were deleted within ${terminatedWindowMs / 1000} s`,
    retryInMs: oldestAtMs + terminatedWindowMs - nowMs,
  };
}

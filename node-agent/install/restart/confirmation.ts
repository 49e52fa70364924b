import { wellKnown } from '../../../schemas/keys.ts';
import type { Node } from '../../../schemas/kubernetes.ts';
import type { UnitState } from '../systemd/systemd.ts';
import type { Attempt } from './attempt.ts';

/** `unread`: the API server did not answer. */
export type ReadNode = Node | 'absent' | 'unread';

/** A kubelet with a wrong flag or file ends within a second. */
const shortestRunMs = 10_000;

/*
 * A restart is confirmed when the service has had the same main process for 10 s, which started after the restart was
 * asked for, and that process has reported the Node as Ready. It has if the heartbeat of the condition Ready is another
 * one than before the restart, and not older than the process: a kubelet reports the whole status of its Node when it
 * starts, and after that only every 5 minutes or when something changes. The Node's Lease alone would show that a kubelet
 * runs, not that it is Ready. Heartbeat and service have the clock of this host.
 * https://kubernetes.io/docs/reference/node/node-status/#heartbeats
 */

/** Why the kubelet has not restarted; `undefined`: it has. Pure. */
export function whyNotRunning(unit: UnitState | undefined, attempt: Attempt, nowMs: number): string | undefined {
  const { service } = attempt;
  const startedAtMs = unit?.mainStartedAtMs;
  if (unit?.active !== 'active' || startedAtMs === undefined) return `${service} is ${unit?.active ?? 'not there'}`;
  if (startedAtMs <= attempt.startedAtMs) return `${service} has not restarted`;
  return nowMs - startedAtMs < shortestRunMs ? `${service} has run for less than 10 s` : undefined;
}

/** Why this process of the kubelet has not reported its Node as Ready; `undefined`: it has. Pure. */
export function whyNotReported(node: ReadNode, attempt: Attempt, startedAtMs: number): string | undefined {
  const heartbeat = heartbeatOf(node);
  // It has whole seconds, rounded down.
  const isNew = heartbeat !== attempt.heartbeatBefore && Date.parse(heartbeat) + 1_000 > startedAtMs;
  return whyNotReady(node) ?? (isNew ? undefined : 'the kubelet has not reported its Node since it started');
}

/**
 * `undefined`: the Node is Ready, or its cloud has not initialised it. Such a Node may not be Ready before the agent runs,
 * which starts after the installation: its network may wait for the addresses. Pure.
 */
export function whyNotReady(node: ReadNode): string | undefined {
  if (node === 'absent') return 'there is no Node of this name';
  if (node === 'unread') return 'the Node cannot be read';
  const { status, reason, message } = readyCondition(node) ?? {};
  if (status === 'True' || (status !== undefined && isUninitialized(node))) return undefined;
  return `the Node is not Ready: ${message ?? reason ?? status ?? 'its condition is missing'}`;
}

function isUninitialized({ spec: { taints = [] } }: Node): boolean {
  return taints.some(({ key }) => key === wellKnown.uninitializedTaint);
}

export function heartbeatOf(node: ReadNode): string {
  return typeof node === 'string' ? '' : (readyCondition(node)?.lastHeartbeatTime ?? '');
}

type ReadyCondition = NonNullable<Node['status']['conditions']>[number];

function readyCondition(node: Node): ReadyCondition | undefined {
  return node.status.conditions?.find(({ type }) => type === 'Ready');
}

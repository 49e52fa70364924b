import type { Outcome } from '../../lib/command-line/outcome.ts';
import { isReady, isUninitialized } from '../../lib/node/read-node.ts';
import { keys } from '../../schemas/keys.ts';
import type { Lease, Node } from '../../schemas/kubernetes.ts';
import { isReportKind } from '../lifecycle/report.ts';
import type { ReportKind } from '../lifecycle/report.ts';
import { leaderStatusIn } from './collect.ts';
import type { CollectedStatus } from './collect.ts';
import type { RouteTableStatus } from '../route-controller/table-status.ts';
import type { LeaderStatus, ScopeStatus } from './leader-status.ts';

/** One line of `status`. */
export interface StatusCheck {
  readonly about: 'leader' | 'clouds' | 'scope' | 'routes' | 'nodes' | 'node';
  /** It stays the same from version to version. */
  readonly code: StatusCode;
  readonly outcome: Outcome;
  readonly said: string;
  readonly remedy?: string;
}

export type StatusCode =
  | 'leading'
  | 'no-lease'
  | 'no-leader'
  | 'lease-expired'
  | 'lease-unknown'
  | 'leader-without-status'
  | 'clouds'
  | 'scope-looked-up'
  | 'scope-failing'
  | 'scope-deletions-stopped'
  | 'routes'
  | 'routes-failing'
  | 'routes-left'
  | 'nodes'
  | 'nodes-unknown'
  | 'node-not-initialised'
  | 'node-to-be-deleted'
  | 'node-kept';

export interface StatusReport {
  /** Nothing is wrong, and all of it could be found out. */
  readonly ok: boolean;
  readonly checks: readonly StatusCheck[];
  /** What the leader wrote on its Lease. Absent: nothing. */
  readonly leader?: LeaderStatus;
}

/** Pure. `leaseName` is for messages. */
export function assess({ lease, nodes }: CollectedStatus, leaseName: string, nowMs: number): StatusReport {
  const leader = lease.kind === 'found' ? leaderStatusIn(lease.value) : undefined;
  const checks = [
    ...leaseChecks(lease, leader, leaseName, nowMs),
    ...(leader === undefined ? [] : leaderChecks(leader, nowMs)),
    ...nodeChecks(nodes, nowMs),
  ];
  const ok = checks.every(({ outcome }) => outcome === 'ok' || outcome === 'warning');
  return { ok, checks, ...(leader !== undefined && { leader }) };
}

function leaseChecks(
  lease: CollectedStatus['lease'],
  leader: LeaderStatus | undefined,
  name: string,
  nowMs: number,
): readonly StatusCheck[] {
  const about = 'leader';
  if (lease.kind === 'unknown') {
    return [
      { about, code: 'lease-unknown', outcome: 'unknown', said: lease.why, remedy: `allow get on the Lease ${name}` },
    ];
  }
  if (lease.kind === 'absent') {
    const said = `there is no Lease ${name}, so no controller has ever led`;
    const remedy = 'check that the controller runs, and the flags --leader-elect-resource-namespace and -name';
    return [{ about, code: 'no-lease', outcome: 'failed', said, remedy }];
  }
  const held = heldCheck(lease.value, name, nowMs);
  if (leader !== undefined || held.outcome === 'failed') return [held];
  const said = `${lease.value.spec.holderIdentity} wrote no status: it is another controller, an older version, or has just begun`;
  return [held, { about, code: 'leader-without-status', outcome: 'unknown', said, remedy: 'read its log' }];
}

const msPerSecond = 1_000;

function heldCheck({ spec }: Lease, name: string, nowMs: number): StatusCheck {
  const { holderIdentity = '', leaseDurationSeconds = 0, renewTime } = spec;
  const about = 'leader';
  if (holderIdentity === '') {
    const remedy = 'check that the controller runs';
    return { about, code: 'no-leader', outcome: 'failed', said: `no controller holds the Lease ${name}`, remedy };
  }
  const renewedMs = renewTime === undefined ? Number.NaN : nowMs - Date.parse(renewTime);
  const renewed = Number.isNaN(renewedMs) ? 'never renewed' : `renewed ${ago(renewedMs)}`;
  const said = `${holderIdentity} holds the Lease ${name}, ${renewed}`;
  if (renewedMs <= leaseDurationSeconds * msPerSecond) return { about, code: 'leading', outcome: 'ok', said };
  const remedy = 'check that the controller runs, and the clock of this machine';
  return { about, code: 'lease-expired', outcome: 'failed', said, remedy };
}

function leaderChecks(
  { clouds, nodes, scopes, routeTables = [] }: LeaderStatus,
  nowMs: number,
): readonly StatusCheck[] {
  const { ours, foreign, unmanaged } = nodes;
  const said = `${clouds.join(', ')}: ${count(ours, 'Node')}; ${foreign} of other controllers, ${unmanaged} excluded by label`;
  return [
    { about: 'clouds', code: 'clouds', outcome: 'ok', said },
    ...scopes.flatMap((scope) => scopeChecks(scope, nowMs)),
    ...routeTables.map(routeCheck),
  ];
}

function scopeChecks(status: ScopeStatus, nowMs: number): readonly StatusCheck[] {
  const { scope, nodes, lastSuccess, failure, deletionsStopped } = status;
  const about = 'scope';
  const success =
    lastSuccess === undefined ? 'no look-up has succeeded' : `looked up ${ago(nowMs - Date.parse(lastSuccess))}`;
  const looked: StatusCheck =
    failure === undefined
      ? { about, code: 'scope-looked-up', outcome: 'ok', said: `${scope}: ${count(nodes, 'Node')}, ${success}` }
      : { about, code: 'scope-failing', outcome: 'failed', said: `${scope}: ${failure}; ${success}` };
  if (!deletionsStopped) return [looked];
  const said = `${scope}: too many instances are missing at once, so deletions are stopped`;
  const remedy = 'polycloud-ccm explain NODE shows how to confirm them';
  return [looked, { about, code: 'scope-deletions-stopped', outcome: 'failed', said, remedy }];
}

function routeCheck({ table, nodes, failed, left, failure }: RouteTableStatus): StatusCheck {
  const about = 'routes';
  const said = `${table}: ${count(nodes, 'Node')}, ${failed} without routes, ${left} routes left alone`;
  if (failure !== undefined) return { about, code: 'routes-failing', outcome: 'failed', said: `${table}: ${failure}` };
  if (failed > 0) {
    const remedy = 'kubectl get events --field-selector reason=FailedToCreateRoute shows why';
    return { about, code: 'routes-failing', outcome: 'failed', said, remedy };
  }
  if (left === 0) return { about, code: 'routes', outcome: 'ok', said };
  const remedy = 'remove them in the cloud if they are of Nodes that are gone; the log names them';
  return { about, code: 'routes-left', outcome: 'warning', said, remedy };
}

/** A Node that is older should be initialised. */
const initialisationMs = 120_000;
const maxListedNodes = 20;

function nodeChecks(nodes: CollectedStatus['nodes'], nowMs: number): readonly StatusCheck[] {
  if (nodes.kind !== 'found') {
    const said = nodes.kind === 'unknown' ? nodes.why : 'the API server has no Nodes';
    return [{ about: 'nodes', code: 'nodes-unknown', outcome: 'unknown', said, remedy: 'allow list on nodes' }];
  }
  const all = nodes.value;
  const managed = all.filter(({ metadata }) => metadata.labels?.[keys.ownership] !== 'false');
  const problems = managed.flatMap((node) => [...newNodeChecks(node, nowMs), ...reportChecks(node)]);
  const [notReady, isNew] = [all.filter((node) => !isReady(node)), managed.filter(isUninitialized)];
  const said = `${count(all.length, 'Node')}, ${notReady.length} not Ready, ${isNew.length} not initialised`;
  // A failure must not be the one that is left out.
  const sorted = problems.toSorted((one, other) => severityOf(other) - severityOf(one));
  const left = sorted.slice(maxListedNodes);
  const more = left.length === 0 ? '' : `; ${left.length} more are like the last of the following`;
  return [{ about: 'nodes', code: 'nodes', outcome: 'ok', said: `${said}${more}` }, ...sorted.slice(0, maxListedNodes)];
}

function severityOf({ outcome }: StatusCheck): number {
  return outcome === 'failed' ? 1 : 0;
}

function newNodeChecks(node: Node, nowMs: number): readonly StatusCheck[] {
  if (!isUninitialized(node)) return [];
  const { name, creationTimestamp } = node.metadata;
  const ageMs = nowMs - Date.parse(creationTimestamp);
  const outcome = ageMs > initialisationMs ? 'failed' : 'warning';
  const said = `${name}: not initialised, created ${ago(ageMs)}`;
  const remedy = `kubectl describe node ${name} shows why, and so does polycloud-ccm explain ${name}`;
  return [{ about: 'node', code: 'node-not-initialised', outcome, said, remedy }];
}

/** Reports after which the Node is deleted. After the others it is kept, and somebody has to look at it. */
const beforeDeletion: ReadonlySet<ReportKind> = new Set(['InstanceGone', 'DeletingNode']);

function reportChecks({ metadata: { name }, status }: Node): readonly StatusCheck[] {
  const report = status.conditions?.find(({ type }) => type === keys.instanceCondition);
  if (report?.status !== 'False' || !isReportKind(report.reason)) return [];
  const said = `${name}: ${report.reason}: ${report.message ?? ''}`;
  return beforeDeletion.has(report.reason)
    ? [{ about: 'node', code: 'node-to-be-deleted', outcome: 'warning', said }]
    : [{ about: 'node', code: 'node-kept', outcome: 'failed', said, remedy: `see polycloud-ccm explain ${name}` }];
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function ago(durationMs: number): string {
  const seconds = Math.max(0, Math.round(durationMs / msPerSecond));
  if (seconds < 120) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}

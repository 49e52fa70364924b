import type { LookupResult, NodeUid } from '../../clouds/index.ts';
import { keys, wellKnown } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { Canary } from './canary.ts';
import { isReportKind } from './report.ts';
import type { ReportKind } from './report.ts';
import type { ScopeRecord } from './scope.ts';

/** The state of one Node at one moment. */
export interface Observation extends NodeState {
  /** Absent if the Node changed and was not looked up. */
  readonly lookup?: ObservedLookup;
}

export interface NodeState {
  readonly uid: NodeUid;
  readonly ownership: 'ours' | 'foreign' | 'unmanaged';
  readonly providerId?: string;
  readonly uninitialized: boolean;
  /** Only a Ready condition that is `True`; a missing one is not. */
  readonly ready: boolean;
  readonly beingDeleted: boolean;
  readonly ageMs: number;
  readonly taints: ReadonlySet<LifecycleTaint>;
  /** The report in the Node's condition, also if an earlier process wrote it. */
  readonly reported?: ReportKind;
}

export type LifecycleTaint = 'shutdown' | 'out-of-service';

/** The result of one look-up of this node. */
export interface ObservedLookup {
  readonly result: LookupResult;
  /** When the look-up began, on the monotonic clock: the result may be as old as that. */
  readonly askedAtMs: number;
  readonly canary: Canary;
  /** The node's scope, with this look-up recorded. */
  readonly scope: ScopeRecord;
}

const lifecycleTaints: readonly LifecycleTaint[] = ['shutdown', 'out-of-service'];
const taintKeys: Readonly<Record<LifecycleTaint, string>> = {
  shutdown: wellKnown.shutdownTaint,
  'out-of-service': wellKnown.outOfServiceTaint,
};

export function stateOf(node: Node, ownership: NodeState['ownership'], wallMs: number): NodeState {
  const { metadata, spec, status } = node;
  const tainted = new Set((spec.taints ?? []).map(({ key }) => key));
  const reason = status.conditions?.find(({ type }) => type === keys.instanceCondition)?.reason;
  return {
    uid: metadata.uid,
    ownership,
    ...(spec.providerID !== undefined && spec.providerID !== '' && { providerId: spec.providerID }),
    uninitialized: tainted.has(wellKnown.uninitializedTaint),
    ready: status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
    beingDeleted: metadata.deletionTimestamp !== undefined,
    ageMs: ageMsOf(metadata.creationTimestamp, wallMs),
    taints: new Set(lifecycleTaints.filter((taint) => tainted.has(taintKeys[taint]))),
    ...(isReportKind(reason) && { reported: reason }),
  };
}

/** An unreadable date counts as now. */
function ageMsOf(creationTimestamp: string, wallMs: number): number {
  const ageMs = wallMs - Date.parse(creationTimestamp);
  return Number.isNaN(ageMs) ? 0 : ageMs;
}

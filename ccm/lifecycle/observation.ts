import type { LookupResult, NodeUid } from '../../clouds/index.ts';
import { keys, wellKnown } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { Canary } from './canary.ts';
import { isReportKind } from './report.ts';
import type { ReportKind } from './report.ts';
import type { ScopeRecord } from './scope.ts';

/** All that is known of one Node at one moment. */
export interface Observation extends NodeState {
  /** Absent when only the Node was seen and nobody was asked. */
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
  /** What the condition on the Node says already, also if an earlier process wrote it. */
  readonly reported?: ReportKind;
}

export type LifecycleTaint = 'shutdown' | 'out-of-service';

/** What one look-up said of this node. */
export interface ObservedLookup {
  readonly result: LookupResult;
  /** When the question went out, on the monotonic clock: the cloud's answer may be as old as that. */
  readonly askedAtMs: number;
  readonly canary: Canary;
  /** The node's scope, after it was told of this same look-up. */
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

/** One that cannot be read is as young as can be. */
function ageMsOf(creationTimestamp: string, wallMs: number): number {
  const ageMs = wallMs - Date.parse(creationTimestamp);
  return Number.isNaN(ageMs) ? 0 : ageMs;
}

import { describeTaints } from '../../lib/node/describe-changes.ts';
import { keys } from '../../schemas/keys.ts';
import type { Node, Taint } from '../../schemas/kubernetes.ts';
import type { InterruptionDecision, InterruptionTaint } from './decide.ts';
import { formatState, readState } from './state.ts';
import type { InterruptionState } from './state.ts';

/** A merge patch for one version of the Node. `null` removes a field. */
export interface MarksPatch {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string | null>>;
  };
  readonly spec?: { readonly taints?: readonly Taint[]; readonly unschedulable?: true | null };
}

export interface MarksPlan {
  readonly patch: MarksPatch;
  /** In words. */
  readonly changes: readonly string[];
}

/**
 * Taint, cordon and state in one patch, so that no pod comes between them. `undefined`: the Node is as it should be. Only
 * our own taint and cordon are removed. Pure.
 */
export function planMarks(
  node: Node,
  { taint, cordon: isCordonWanted }: Pick<InterruptionDecision, 'taint' | 'cordon'>,
  kept: Pick<InterruptionState, 'notices' | 'drain'>,
): MarksPlan | undefined {
  const { hasOurCordon, ...cordon } = planCordon(node, isCordonWanted);
  const taints = planTaints(node.spec.taints ?? [], taint);
  const state = planState(node, { ...kept, hasOurCordon });
  const changes = [...taints.changes, ...cordon.changes, ...state.changes];
  if (changes.length === 0) return undefined;
  const spec = { ...taints.spec, ...cordon.spec };
  const { resourceVersion } = node.metadata;
  return {
    patch: {
      metadata: { resourceVersion, ...state.metadata },
      ...(Object.keys(spec).length > 0 && { spec }),
    },
    changes,
  };
}

interface CordonPlan {
  readonly spec?: { readonly unschedulable: true | null };
  readonly hasOurCordon: boolean;
  readonly changes: readonly string[];
}

function planCordon(node: Node, isWanted: boolean): CordonPlan {
  const { hasOurCordon } = readState(node);
  const isCordoned = node.spec.unschedulable === true;
  if (isWanted && !isCordoned) return { spec: { unschedulable: true }, hasOurCordon: true, changes: ['cordon'] };
  if (isWanted) return { hasOurCordon, changes: [] };
  if (!hasOurCordon || !isCordoned) return { hasOurCordon: false, changes: [] };
  return { spec: { unschedulable: null }, hasOurCordon: false, changes: ['uncordon'] };
}

interface StatePlan {
  readonly metadata?: Pick<MarksPatch['metadata'], 'annotations'>;
  readonly changes: readonly string[];
}

function planState({ metadata }: Node, wanted: InterruptionState): StatePlan {
  const text = formatState(wanted);
  if (text === metadata.annotations?.[keys.interruptionState]) return { changes: [] };
  return {
    metadata: { annotations: { [keys.interruptionState]: text ?? null } },
    changes: [text === undefined ? 'remove the state' : 'record the state'],
  };
}

interface TaintsPlan {
  /** All taints of the Node. */
  readonly spec?: { readonly taints: readonly Taint[] };
  readonly changes: readonly string[];
}

function planTaints(before: readonly Taint[], wanted: InterruptionTaint | undefined): TaintsPlan {
  const ours = before.filter(isOurs);
  const isRight =
    wanted === undefined
      ? ours.length === 0
      : ours.length === 1 && ours[0]?.effect === wanted.effect && ours[0].value === wanted.value;
  if (isRight) return { changes: [] };
  const others = before.filter((taint) => !isOurs(taint));
  const taints = wanted === undefined ? others : [...others, { key: keys.interruptionTaint, ...wanted }];
  return { spec: { taints }, changes: describeTaints(before, taints) };
}

function isOurs({ key }: Taint): boolean {
  return key === keys.interruptionTaint;
}

import { keys } from '../../../../schemas/keys.ts';
import type { Node, NodeCondition } from '../../../../schemas/kubernetes.ts';

/** Our taint, the cordon of anybody, as `ends:NoSchedule cordon`. */
export function marksOf({ spec }: Node): string {
  const ours = (spec.taints ?? []).filter(({ key }) => key === keys.interruptionTaint);
  const taints = ours.map(({ value, effect }) => `${String(value)}:${effect}`);
  return [...taints, ...(spec.unschedulable === true ? ['cordon'] : [])].join(' ');
}

export function interruptionCondition({ status }: Node): NodeCondition | undefined {
  return status.conditions?.find(({ type }) => type === keys.interruptionCondition);
}

/** Nothing of ours is left, except for the condition, which has ended. */
export function isUnmarked(node: Node): boolean {
  return (
    !marksOf(node).includes(':') &&
    node.metadata.annotations?.[keys.interruptionState] === undefined &&
    interruptionCondition(node)?.status !== 'True'
  );
}

import type { NodePatch } from '../../lib/node/plan.ts';
import { wellKnown } from '../../schemas/keys.ts';
import type { Node, Taint } from '../../schemas/kubernetes.ts';
import type { LifecycleTaint } from '../lifecycle/observation.ts';
import type { TaintChange } from '../lifecycle/taints.ts';

/** As they stand on a Node. */
export const taints: Readonly<Record<LifecycleTaint, Taint>> = {
  shutdown: { key: wellKnown.shutdownTaint, effect: 'NoSchedule' },
  'out-of-service': { key: wellKnown.outOfServiceTaint, value: 'nodeshutdown', effect: 'NoExecute' },
};

/** A merge patch that is only good for this version of the Node: it replaces the whole list. */
export function taintsPatch(node: Node, { add, remove }: TaintChange): NodePatch {
  const removed = new Set(remove.map((name) => taints[name].key));
  const kept = (node.spec.taints ?? []).filter(({ key }) => !removed.has(key));
  return {
    metadata: { resourceVersion: node.metadata.resourceVersion },
    spec: { taints: [...kept, ...add.map((name) => taints[name])] },
  };
}

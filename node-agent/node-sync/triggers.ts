import { planNode } from '../../lib/node/plan.ts';
import { isUninitialized, providedNodeIps } from '../../lib/node/read-node.ts';
import { keys } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { AgentState } from './agent-state.ts';

/** How soon a change of the Node needs a sync. Heartbeats of the kubelet and our own writes need none. */
export type Urgency = 'now' | 'soon' | 'none';

export function urgencyOf(node: Node, before: Node | undefined, state: AgentState): Urgency {
  if (before === undefined || syncInputsOf(node) !== syncInputsOf(before)) return 'now';
  if (isUninitialized(node) && !isUninitialized(before)) return 'now';
  return hasDrifted(node, state) ? 'soon' : 'none';
}

/** The fields of a Node that can change the result of a sync. */
function syncInputsOf(node: Node): string {
  const { uid, labels } = node.metadata;
  return JSON.stringify([uid, labels?.[keys.ownership], providedNodeIps(node)]);
}

function hasDrifted(node: Node, { instance, cloud, lastResult }: AgentState): boolean {
  if (instance === undefined || cloud === undefined || lastResult?.kind !== 'synced') return false;
  const planned = planNode(node, instance, { [keys.describedByAgent]: cloud.name });
  return planned.kind === 'refused' || Object.keys(planned.plan).length > 0;
}

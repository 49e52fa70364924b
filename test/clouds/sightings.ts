import { isCanaryGood } from '../../ccm/lifecycle/canary.ts';
import { isGone } from '../../ccm/lifecycle/result-kinds.ts';
import { lookUpInScope } from '../../ccm/node-controller/look-up.ts';
import type { LookupTarget } from '../../ccm/node-controller/look-up.ts';
import type { CloudScope } from '../../ccm/node-controller/ownership.ts';
import type { LookupContext, NodeFacts } from '../../clouds/cloud.ts';

/** How a node is looked up, as the controller does it. */
export interface SightingRequest {
  readonly node: NodeFacts;
  readonly others: readonly NodeFacts[];
  /** Ready nodes; none: the controller asks for access to the scope. */
  readonly verify: readonly NodeFacts[];
}

/** Is the deletion of this node's Node one step nearer after this look-up? */
export async function isSighted(
  cloudScope: CloudScope,
  { node, others, verify }: SightingRequest,
  context: LookupContext,
): Promise<boolean> {
  const nodes = [node, ...others].map(targetOf);
  const { results, canary } = await lookUpInScope(cloudScope, { nodes, verify: verify.map(targetOf) }, context);
  const result = results.get(node.uid);
  return result !== undefined && isGone(result) && isCanaryGood(canary);
}

/** Its Node, which is not Ready. */
function targetOf(facts: NodeFacts): LookupTarget {
  const { uid, name, systemUuid } = facts;
  const metadata = { name, uid, resourceVersion: '1', creationTimestamp: '2026-11-18T12:00:00Z' };
  const status = systemUuid === undefined ? {} : { nodeInfo: { systemUUID: systemUuid } };
  return { facts, node: { metadata, spec: {}, status } };
}

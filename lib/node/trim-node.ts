import { keys, wellKnown } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import { KubernetesError } from '../kubernetes/kubernetes-error.ts';
import { printable } from '../printable.ts';
import { findInvalidField } from './validate-node.ts';

const keptAnnotations = [
  wellKnown.providedNodeIp,
  keys.describedByAgent,
  keys.instanceId,
  keys.confirmDeletions,
  keys.interruptionState,
];
const keptConditions: ReadonlySet<string> = new Set([
  'Ready',
  wellKnown.networkUnavailable,
  keys.instanceCondition,
  keys.interruptionCondition,
]);

/**
 * Keeps only the fields that the programs read: images, capacity and managed fields are most of a Node's memory. Throws
 * if a field has the wrong type, so that readers need no checks.
 */
export function trimNode(node: Node): Node {
  const problem = findInvalidField(node);
  if (problem !== undefined) throw invalidNode(node, problem);
  return trim(node);
}

function invalidNode({ metadata }: Node, problem: string): KubernetesError {
  const remedy = 'look at the Node with kubectl, and find out which client wrote that';
  return new KubernetesError('invalid-response', `Node ${printable(metadata.name)} is skipped: ${problem}`, { remedy });
}

/** The API server may omit an empty spec or status. */
type PartialNode = Pick<Node, 'metadata'> & Partial<Node>;

function trim({ metadata, spec = {}, status = {} }: PartialNode): Node {
  return { metadata: trimMetadata(metadata), spec: trimSpec(spec), status: trimStatus(status, metadata) };
}

function trimMetadata({ annotations = {}, ...metadata }: Node['metadata']): Node['metadata'] {
  const { name, uid, resourceVersion, creationTimestamp, deletionTimestamp, labels } = metadata;
  const kept = keptAnnotations.flatMap((key) => {
    const value = annotations[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    name,
    uid,
    resourceVersion,
    creationTimestamp,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(labels !== undefined && { labels }),
    ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
  };
}

function trimSpec({ providerID, podCIDRs, taints, unschedulable }: Node['spec']): Node['spec'] {
  return {
    ...(providerID !== undefined && { providerID }),
    ...(podCIDRs !== undefined && { podCIDRs }),
    ...(taints !== undefined && { taints }),
    ...(unschedulable === true && { unschedulable }),
  };
}

function trimStatus(
  { addresses, conditions = [], nodeInfo }: Node['status'],
  metadata: Node['metadata'],
): Node['status'] {
  const { systemUUID, bootID } = nodeInfo ?? {};
  const kept = conditions.filter(({ type }) => keptConditions.has(type));
  // The boot ID is compared only where an instance has an immutable id.
  const keepsBootId = bootID !== undefined && metadata.annotations?.[keys.instanceId] !== undefined;
  const machine = { ...(systemUUID !== undefined && { systemUUID }), ...(keepsBootId && { bootID }) };
  return {
    ...(addresses !== undefined && { addresses }),
    conditions: kept.map(({ type, status, reason }) => ({ type, status, ...(reason && { reason }) })),
    ...(Object.keys(machine).length > 0 && { nodeInfo: machine }),
  };
}

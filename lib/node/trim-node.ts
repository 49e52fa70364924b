import { keys, wellKnown } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';

const keptAnnotations = [wellKnown.providedNodeIp, keys.describedByAgent, keys.confirmDeletions];
const keptConditions: ReadonlySet<string> = new Set(['Ready', keys.instanceCondition]);

/** What is kept of a Node in memory: images, capacity and managed fields are most of it, and nothing here reads them. */
export function trimNode({ metadata, spec, status }: Node): Node {
  const { name, uid, resourceVersion, creationTimestamp, deletionTimestamp, labels } = metadata;
  const annotations = keptAnnotations.flatMap((key) => {
    const value = metadata.annotations?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  const conditions = (status.conditions ?? []).filter(({ type }) => keptConditions.has(type));
  const systemUUID = status.nodeInfo?.systemUUID;
  return {
    metadata: {
      name,
      uid,
      resourceVersion,
      creationTimestamp,
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(labels !== undefined && { labels }),
      ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    },
    spec: {
      ...(spec.providerID !== undefined && { providerID: spec.providerID }),
      ...(spec.taints !== undefined && { taints: spec.taints }),
    },
    status: {
      ...(status.addresses !== undefined && { addresses: status.addresses }),
      conditions: conditions.map(({ type, status: is, reason }) => ({ type, status: is, ...(reason && { reason }) })),
      ...(systemUUID !== undefined && { nodeInfo: { systemUUID } }),
    },
  };
}

import { keys } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { NodeFacts } from '../../clouds/cloud.ts';
import { isReady, isUninitialized, providedNodeIps } from './read-node.ts';

export function factsOf(node: Node): NodeFacts {
  const { providerID } = node.spec;
  const instanceId = node.metadata.annotations?.[keys.instanceId];
  const systemUuid = node.status.nodeInfo?.systemUUID;
  return {
    uid: node.metadata.uid,
    name: node.metadata.name,
    ...(providerID && { providerId: providerID }),
    ...(instanceId && { instanceId }),
    ...(systemUuid && { systemUuid }),
    ...(!isUninitialized(node) && !isReady(node) && { mayBeGone: true }),
    nodeIps: providedNodeIps(node),
    labels: node.metadata.labels ?? {},
  };
}

import type { Node } from '../../schemas/kubernetes.ts';
import type { NodeFacts } from '../../clouds/cloud.ts';
import { providedNodeIps } from './read-node.ts';

export function factsOf(node: Node): NodeFacts {
  const { providerID } = node.spec;
  const systemUuid = node.status.nodeInfo?.systemUUID;
  return {
    uid: node.metadata.uid,
    name: node.metadata.name,
    ...(providerID !== undefined && providerID !== '' && { providerId: providerID }),
    ...(systemUuid !== undefined && systemUuid !== '' && { systemUuid }),
    nodeIps: providedNodeIps(node),
    labels: node.metadata.labels ?? {},
  };
}

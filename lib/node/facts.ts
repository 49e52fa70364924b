import type { Node } from '../../schemas/kubernetes.ts';
import { providedNodeIps } from './read-node.ts';

/** A Node's UID. The name may come back with another machine behind it; the UID does not. */
export type NodeUid = string;

/** What a cloud may know of a Node. */
export interface NodeFacts {
  readonly uid: NodeUid;
  readonly name: string;
  readonly providerId?: string;
  readonly systemUuid?: string;
  readonly nodeIps: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

export function factsOf(node: Node): NodeFacts {
  const { providerID } = node.spec;
  const systemUuid = node.status.nodeInfo?.systemUUID;
  return {
    uid: node.metadata.uid,
    name: node.metadata.name,
    ...(providerID !== undefined && providerID !== '' && { providerId: providerID }),
    ...(systemUuid !== undefined && systemUuid !== '' && { systemUuid }),
    nodeIps: nodeIpsOf(node),
    labels: node.metadata.labels ?? {},
  };
}

/** The kubelet was told by --node-ip; else what it found itself. */
function nodeIpsOf(node: Node): readonly string[] {
  const provided = providedNodeIps(node);
  if (provided.length > 0) return provided;
  return (node.status.addresses ?? []).flatMap(({ type, address }) => (type === 'InternalIP' ? [address] : []));
}

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
  /** The kubelet's --node-ip: one address, or one of each family. Empty: none was given. */
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
    nodeIps: providedNodeIps(node),
    labels: node.metadata.labels ?? {},
  };
}

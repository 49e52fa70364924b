import type { Node } from '../../schemas/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { nodes } from '../kubernetes/resources.ts';
import type { ObjectRef, Resource } from '../kubernetes/resources.ts';
import { ignoring } from '../kubernetes/ignoring.ts';
import type { NodePatch } from './plan.ts';
import { trimNode } from './trim-node.ts';

/**
 * A whole Node is ten times as large, and would be kept until the next collection of all garbage by the promises that
 * waited for it.
 */
const trimmedNodes: Resource<Node> = { ...nodes, transform: trimNode };

/** Only the metadata of the Node: https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches */
const nodeMetadata: Resource<Node> = {
  ...trimmedNodes,
  kind: 'PartialObjectMetadata',
  accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
};

/** From the API server, not from a cache. `undefined`: there is no Node of this name. */
export async function readLiveNode(
  client: Pick<KubernetesClient, 'get'>,
  name: string,
  signal: AbortSignal,
): Promise<Node | undefined> {
  return ignoring(['not-found'], undefined, () => client.get(trimmedNodes, { name }, signal));
}

/** Sends a merge patch. A deleted Node is a conflict too: it is not the one that the patch was made for. */
export function patchNode(
  client: Pick<KubernetesClient, 'patch'>,
  { name }: ObjectRef,
  body: object,
  signal: AbortSignal,
): Promise<Node | 'conflict'> {
  return ignoring(['conflict', 'not-found'], 'conflict', () =>
    client.patch(trimmedNodes, { name }, { type: 'merge', body }, signal),
  );
}

/**
 * Sends a merge patch of the status for this version of the Node. All that it changes besides is metadata, so the
 * response needs no more.
 */
export function patchNodeStatus(
  client: Pick<KubernetesClient, 'patch'>,
  node: Node,
  body: NodePatch,
  signal: AbortSignal,
): Promise<Node | 'conflict'> {
  const target = { name: node.metadata.name, subresource: 'status' } as const;
  return ignoring(['conflict', 'not-found'], 'conflict', async () => {
    const { metadata } = await client.patch(nodeMetadata, target, { type: 'merge', body }, signal);
    return { ...node, metadata, status: { ...node.status, ...body.status } };
  });
}

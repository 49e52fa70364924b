import type { Node } from '../../schemas/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { nodes } from '../kubernetes/resources.ts';
import type { Resource } from '../kubernetes/resources.ts';
import { ignoring } from '../kubernetes/ignoring.ts';
import { trimNode } from './trim-node.ts';

/**
 * A whole Node is ten times as large, and would be kept until the next collection of all garbage by the promises that
 * waited for it.
 */
const trimmedNodes: Resource<Node> = { ...nodes, transform: trimNode };

/** From the API server, not from a cache. `undefined`: there is no Node of this name. */
export async function readLiveNode(
  client: Pick<KubernetesClient, 'get'>,
  name: string,
  signal: AbortSignal,
): Promise<Node | undefined> {
  return ignoring(['not-found'], undefined, () => client.get(trimmedNodes, { name }, signal));
}

export interface NodeTarget {
  readonly name: string;
  readonly subresource?: 'status';
}

/** Sends a merge patch. A deleted Node is a conflict too: it is not the one that the patch was made for. */
export function patchNode(
  client: Pick<KubernetesClient, 'patch'>,
  target: NodeTarget,
  body: object,
  signal: AbortSignal,
): Promise<Node | 'conflict'> {
  return ignoring(['conflict', 'not-found'], 'conflict', () =>
    client.patch(trimmedNodes, target, { type: 'merge', body }, signal),
  );
}

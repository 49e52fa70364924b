import type { Node } from '../../schemas/kubernetes.ts';
import type { KubernetesClient } from '../kubernetes/client.ts';
import { nodes } from '../kubernetes/resources.ts';
import { ignoring } from '../kubernetes/ignoring.ts';
import { trimNode } from './trim-node.ts';

/** From the API server, not from a cache. `undefined`: there is no Node of this name. */
export async function readLiveNode(
  client: Pick<KubernetesClient, 'get'>,
  name: string,
  signal: AbortSignal,
): Promise<Node | undefined> {
  const node = await ignoring(['not-found'], undefined, () => client.get(nodes, { name }, signal));
  return node && trimNode(node);
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
  return ignoring(['conflict', 'not-found'], 'conflict', async () =>
    trimNode(await client.patch(nodes, target, { type: 'merge', body }, signal)),
  );
}

import type { KubernetesClient } from '../../lib/kubernetes/client.ts';
import { nodes } from '../../lib/kubernetes/resources.ts';
import type { PatchResult } from '../../lib/node/node-writer.ts';
import { patchNode, readLiveNode } from '../../lib/node/read-and-patch.ts';
import type { Node, NodeCondition } from '../../schemas/kubernetes.ts';
import type { MarksPatch } from './plan-marks.ts';

/** The writes to the Node. */
export interface MarksWriter {
  /** From the API server, not from a cache. */
  read(name: string): Promise<Node | undefined>;
  patch(node: Node, patch: MarksPatch): Promise<PatchResult>;
  setCondition(node: Node, condition: NodeCondition): Promise<void>;
}

const longestRequestMs = 10_000;

export function createMarksWriter(
  client: Pick<KubernetesClient, 'get' | 'patch'>,
  isDryRun: boolean,
  signal: AbortSignal,
): MarksWriter {
  const requestSignal = (): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(longestRequestMs)]);
  return {
    read: (name) => readLiveNode(client, name, requestSignal()),
    patch: async ({ metadata: { name } }, patch) =>
      isDryRun ? 'not-written' : patchNode(client, { name }, patch, requestSignal()),
    setCondition: async ({ metadata: { name, uid } }, condition) => {
      if (isDryRun) return;
      // Strategic, so that only the one condition of this type is replaced and the kubelet's stay.
      const patch = { type: 'strategic-merge', body: { status: { conditions: [condition] } } } as const;
      await client.patch(nodes, { name, uid, subresource: 'status' }, patch, requestSignal());
    },
  };
}

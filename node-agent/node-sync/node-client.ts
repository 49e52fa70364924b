import type { Clock } from '../../lib/clock.ts';
import type { KubernetesClient } from '../../lib/kubernetes/client.ts';
import { events } from '../../lib/kubernetes/resources.ts';
import { buildNodeEvent } from '../../lib/node/node-event.ts';
import type { NamedNode, NodeEvent } from '../../lib/node/node-event.ts';
import type { NodeWriter } from '../../lib/node/node-writer.ts';
import { patchNode, patchNodeStatus, readLiveNode } from '../../lib/node/read-and-patch.ts';

const component = 'polycloud-node-agent';
/** A request to the API server that takes longer is aborted, and the sync is retried. */
const longestRequestMs = 10_000;

export function nodeWriter(client: KubernetesClient, signal: AbortSignal): NodeWriter {
  const requestSignal = (): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(longestRequestMs)]);
  return {
    read: (name) => readLiveNode(client, name, requestSignal()),
    patch: ({ metadata: { name } }, body) => patchNode(client, { name }, body, requestSignal()),
    patchStatus: (node, body) => patchNodeStatus(client, node, body, requestSignal()),
  };
}

export function eventWriter(
  client: KubernetesClient,
  clock: Clock,
  signal: AbortSignal,
): (node: NamedNode, event: NodeEvent) => Promise<void> {
  return async (node, event) => {
    const source = { component, instance: node.metadata.name };
    const requestSignal = AbortSignal.any([signal, AbortSignal.timeout(longestRequestMs)]);
    await client.create(events, buildNodeEvent(node, event, source, clock.wallMs()), requestSignal);
  };
}

import type { Clock } from '../../lib/clock.ts';
import type { KubernetesClient } from '../../lib/kubernetes/client.ts';
import { events, nodes } from '../../lib/kubernetes/resources.ts';
import { unless } from '../../lib/kubernetes/unless.ts';
import type { Node, NodeCondition } from '../../schemas/kubernetes.ts';
import { isReady, isUninitialized } from '../../lib/node/read-node.ts';
import { eventOn } from '../../lib/node/node-event.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import { patchNode, readLive } from '../../lib/node/read-and-patch.ts';
import { isStill } from '../../lib/node/still.ts';
import type { Cluster } from './cluster.ts';
import type { Writes } from './writes.ts';

export interface ClusterParts {
  readonly client: KubernetesClient;
  readonly writes: Writes;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** A write that takes longer could meet those of the next leader. */
  readonly longestWriteMs: number;
  mayWrite(): boolean;
  /** This process, as events name it. */
  readonly instance: string;
}

/** As upstream's node controller calls itself in events, so that what watches for its events keeps working. */
const component = 'cloud-node-controller';

export function createKubernetesCluster(parts: ClusterParts): Cluster {
  const { client, writes, signal } = parts;
  return {
    read: (name) => readLive(client, name, signal),
    patch: ({ metadata: { name } }, body) => writes.run(() => patchNode(client, { name }, body, inTime(parts))),
    patchStatus: ({ metadata: { name } }, body) =>
      writes.run(() => patchNode(client, { name, subresource: 'status' }, body, inTime(parts))),
    setCondition: (node, condition) => writes.run(() => patchCondition(parts, node, condition)),
    remove: (node, stands) => writes.run(() => removeNode(parts, node, stands)),
    tell: (node, event) => writes.run(() => createEvent(parts, node, event)),
  };
}

function inTime({ signal, longestWriteMs }: ClusterParts): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(longestWriteMs)]);
}

/** Strategic, so that only the one condition of this type is replaced and the kubelet's stay. */
async function patchCondition(parts: ClusterParts, node: Node, condition: NodeCondition): Promise<'written'> {
  const { name, uid } = node.metadata;
  const patch = { type: 'strategic-merge', body: { status: { conditions: [condition] } } } as const;
  await unless(['conflict', 'not-found'], undefined, () =>
    parts.client.patch(nodes, { name, uid, subresource: 'status' }, patch, inTime(parts)),
  );
  return 'written';
}

/**
 * The last look at the Node itself. Since the decision it may have been replaced, have become Ready or been taken out of
 * our hands; whatever else changes between this look and the deletion is a conflict, and then it is decided anew.
 */
function removeNode(parts: ClusterParts, decidedOn: Node, stands: () => boolean): Promise<'removed' | 'not-this-one'> {
  return unless(['conflict', 'not-found'], 'not-this-one', async () => {
    const { name, uid } = decidedOn.metadata;
    const signal = inTime(parts);
    const live = await parts.client.get(nodes, { name }, signal);
    const isAnother = !isStill(decidedOn, live) || isReady(live) || isUninitialized(live);
    if (isAnother || !stands() || !parts.mayWrite()) return 'not-this-one' as const;
    await parts.client.remove(nodes, { name, uid, unchangedSince: live.metadata.resourceVersion }, signal);
    return 'removed' as const;
  });
}

async function createEvent(parts: ClusterParts, node: Node, event: NodeEvent): Promise<'written'> {
  const source = { component, instance: parts.instance };
  await parts.client.create(events, eventOn(node, event, source, parts.clock.wallMs()), inTime(parts));
  return 'written';
}

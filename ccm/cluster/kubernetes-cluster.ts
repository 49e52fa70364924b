import type { Clock } from '../../lib/clock.ts';
import type { KubernetesClient } from '../../lib/kubernetes/client.ts';
import { isKubernetesError } from '../../lib/kubernetes/kubernetes-error.ts';
import { events, nodes } from '../../lib/kubernetes/resources.ts';
import type { Node, NodeCondition } from '../../schemas/kubernetes.ts';
import { isReady, isUninitialized } from '../../lib/node/read-node.ts';
import { eventOn } from '../../lib/node/node-event.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import { isStill } from '../../lib/node/still.ts';
import { trimNode } from '../trim-node.ts';
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
    read: async (name) => {
      const node = await unless(['not-found'], undefined, () => client.get(nodes, { name }, signal));
      return node && trimNode(node);
    },
    patch: (name, body) => writes.run(() => patchNode(parts, { name }, body)),
    patchStatus: (name, body) => writes.run(() => patchNode(parts, { name, subresource: 'status' }, body)),
    setCondition: (node, condition) => writes.run(() => patchCondition(parts, node, condition)),
    remove: (node) => writes.run(() => removeNode(parts, node)),
    tell: (node, event) => writes.run(() => createEvent(parts, node, event)),
  };
}

type ErrorKind = Parameters<typeof isKubernetesError>[1];

/** The answer in place of an error of these kinds. */
async function unless<T, A>(kinds: readonly ErrorKind[], answer: A, run: () => Promise<T>): Promise<T | A> {
  try {
    return await run();
  } catch (error) {
    if (kinds.some((kind) => isKubernetesError(error, kind))) return answer;
    throw error;
  }
}

function inTime({ signal, longestWriteMs }: ClusterParts): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(longestWriteMs)]);
}

interface Target {
  readonly name: string;
  readonly subresource?: 'status';
}

/** A Node that is gone is a conflict too: it is not the one that the patch was made for. */
function patchNode(parts: ClusterParts, target: Target, body: object): Promise<Node | 'conflict'> {
  return unless(['conflict', 'not-found'], 'conflict', async () => {
    return trimNode(await parts.client.patch(nodes, target, { type: 'merge', body }, inTime(parts)));
  });
}

/** Strategic, so that only the one condition of this type is replaced and the kubelet's stay. */
async function patchCondition(parts: ClusterParts, node: Node, condition: NodeCondition): Promise<void> {
  const { name, uid } = node.metadata;
  const patch = { type: 'strategic-merge', body: { status: { conditions: [condition] } } } as const;
  await unless(['conflict', 'not-found'], undefined, () =>
    parts.client.patch(nodes, { name, uid, subresource: 'status' }, patch, inTime(parts)),
  );
}

/**
 * The last look at the Node itself. Since the decision it may have been replaced, have become Ready or been taken out of
 * our hands; whatever else changes between this look and the deletion is a conflict, and then it is decided anew.
 */
function removeNode(parts: ClusterParts, decidedOn: Node): Promise<'removed' | 'not-this-one'> {
  return unless(['conflict', 'not-found'], 'not-this-one', async () => {
    const { name, uid } = decidedOn.metadata;
    const signal = inTime(parts);
    const live = await parts.client.get(nodes, { name }, signal);
    if (!isStill(decidedOn, live) || isReady(live) || isUninitialized(live) || !parts.mayWrite()) {
      return 'not-this-one' as const;
    }
    await parts.client.remove(nodes, { name, uid, unchangedSince: live.metadata.resourceVersion }, signal);
    return 'removed' as const;
  });
}

async function createEvent(parts: ClusterParts, node: Node, event: NodeEvent): Promise<void> {
  const source = { component, instance: parts.instance };
  await parts.client.create(events, eventOn(node, event, source, parts.clock.wallMs()), inTime(parts));
}

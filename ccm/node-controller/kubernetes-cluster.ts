import type { Clock } from '../../lib/clock.ts';
import type { KubernetesClient } from '../../lib/kubernetes/client.ts';
import { events, leases, nodes } from '../../lib/kubernetes/resources.ts';
import { ignoring } from '../../lib/kubernetes/ignoring.ts';
import type { Node, NodeCondition } from '../../schemas/kubernetes.ts';
import { isReady, isUninitialized } from '../../lib/node/read-node.ts';
import { buildEvent, buildNodeEvent } from '../../lib/node/node-event.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import { patchNode, patchNodeStatus, readLiveNode } from '../../lib/node/read-and-patch.ts';
import { isSameNode } from '../../lib/node/same-node.ts';
import { isOtherMachine } from '../lifecycle/reused-name.ts';
import type { Cluster, LeaseEvent } from './cluster.ts';
import { machineOf } from './tracked-node.ts';
import type { Writes } from './writes.ts';

export interface ClusterParts {
  readonly client: KubernetesClient;
  readonly writes: Writes;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** A write that takes longer could meet those of the next leader. */
  readonly maxWriteMs: number;
  mayWrite(): boolean;
  /** The controller and this process, as events name them. */
  readonly component: string;
  readonly instance: string;
  /** Absent: this process leads without an election. */
  readonly lease?: { readonly namespace: string; readonly name: string };
}

export function createKubernetesCluster(parts: ClusterParts): Cluster {
  const { client, writes, signal } = parts;
  return {
    read: (name) => readLiveNode(client, name, signal),
    patch: ({ metadata: { name } }, body) => writes.run(() => patchNode(client, { name }, body, writeSignal(parts))),
    patchStatus: (node, body) => writes.run(() => patchNodeStatus(client, node, body, writeSignal(parts))),
    setCondition: (node, condition) => writes.run(() => patchCondition(parts, node, condition)),
    deleteNode: (node, stillHolds) => writes.run(() => deleteNode(parts, node, stillHolds)),
    recordEvent: (node, event) => writes.run(() => createEvent(parts, node, event)),
    recordLeaseEvent: (event) => writes.run(() => createLeaseEvent(parts, event)),
  };
}

function writeSignal({ signal, maxWriteMs }: ClusterParts): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(maxWriteMs)]);
}

/** Strategic, so that only the one condition of this type is replaced and the kubelet's stay. */
async function patchCondition(parts: ClusterParts, node: Node, condition: NodeCondition): Promise<'written'> {
  const { name, uid } = node.metadata;
  const patch = { type: 'strategic-merge', body: { status: { conditions: [condition] } } } as const;
  await ignoring(['conflict', 'not-found'], undefined, () =>
    parts.client.patch(nodes, { name, uid, subresource: 'status' }, patch, writeSignal(parts)),
  );
  return 'written';
}

/**
 * Reads the Node once more. Since the decision it may have been replaced, have become Ready or been excluded by its
 * label. Any other change between this read and the deletion is a conflict, and the decision is made again.
 */
function deleteNode(
  parts: ClusterParts,
  decidedOn: Node,
  stillHolds: () => boolean,
): Promise<'removed' | 'not-this-one'> {
  return ignoring(['conflict', 'not-found'], 'not-this-one', async () => {
    const { name, uid } = decidedOn.metadata;
    const signal = writeSignal(parts);
    const live = await parts.client.get(nodes, { name }, signal);
    const hasChanged = !isSameNode(decidedOn, live) || isReady(live) || isUninitialized(live);
    // Its kubelet has just started, so it is not Ready yet, and it would not register again after the deletion.
    const hasStarted = isOtherMachine(machineOf(decidedOn), machineOf(live));
    if (hasChanged || hasStarted || !stillHolds() || !parts.mayWrite()) return 'not-this-one' as const;
    await parts.client.delete(nodes, { name, uid, resourceVersion: live.metadata.resourceVersion }, signal);
    return 'removed' as const;
  });
}

async function createEvent(parts: ClusterParts, node: Node, event: NodeEvent): Promise<'written'> {
  const source = { component: parts.component, instance: parts.instance };
  await parts.client.create(events, buildNodeEvent(node, event, source, parts.clock.wallMs()), writeSignal(parts));
  return 'written';
}

/** kubectl describe finds events of a Lease by its UID. */
async function createLeaseEvent(parts: ClusterParts, event: LeaseEvent): Promise<'written' | 'not-written'> {
  const { client, lease, component, instance, clock } = parts;
  if (lease === undefined) return 'not-written';
  const { uid } = (await client.get(leases, lease, writeSignal(parts))).metadata;
  const { apiVersion, kind } = leases;
  const draft = buildEvent({ apiVersion, kind, ...lease, uid }, event, { component, instance }, clock.wallMs());
  await client.create(events, draft, writeSignal(parts));
  return 'written';
}

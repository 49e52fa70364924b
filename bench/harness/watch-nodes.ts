import { nodes } from '../../lib/kubernetes/resources.ts';
import type { KubernetesClient } from '../../lib/kubernetes/client.ts';
import type { KubernetesObject, Node } from '../../schemas/kubernetes.ts';
import { startWatch } from './watch.ts';

export const uninitializedTaint = 'node.cloudprovider.kubernetes.io/uninitialized';

/** When what was seen of a Node, by the clock of `performance.now()`. */
export interface ObservedNode {
  readonly createdAtMs: number;
  /** Without the taint. */
  readonly initialisedAtMs: number | undefined;
  /** The scheduler could have put pods on a Node without an address. */
  readonly wasWithoutAddress: boolean;
  readonly cordonedAtMs: number | undefined;
}

/** What a scheduler would see of the Nodes, from the moment when it was opened. */
export interface NodeWatch {
  observedNodes(): ReadonlyMap<string, ObservedNode>;
  close(): Promise<void>;
}

/** Settles when it has seen all that there is. */
export async function watchNodes({ client }: { readonly client: KubernetesClient }): Promise<NodeWatch> {
  const seen = new Map<string, ObservedNode>();
  const watch = await startWatch({ client, resource: nodes, selection: {}, transform: trim }, (change) => {
    if (change.kind !== 'removed') record(seen, change.object);
  });
  return { observedNodes: () => seen, close: watch.close };
}

interface WatchedNode extends KubernetesObject {
  readonly isTainted: boolean;
  readonly hasAddress: boolean;
  readonly isCordoned: boolean;
}

function trim({ metadata, spec, status }: Node): WatchedNode {
  const { name, uid, resourceVersion, creationTimestamp } = metadata;
  return {
    metadata: { name, uid, resourceVersion, creationTimestamp },
    isTainted: (spec.taints ?? []).some(({ key }) => key === uninitializedTaint),
    hasAddress: (status.addresses ?? []).some(({ type }) => type === 'InternalIP'),
    isCordoned: spec.unschedulable === true,
  };
}

function record(seen: Map<string, ObservedNode>, node: WatchedNode): void {
  const nowMs = performance.now();
  const { uid } = node.metadata;
  const earlier: Partial<ObservedNode> = seen.get(uid) ?? {};
  const initialisedAtMs = earlier.initialisedAtMs ?? (node.isTainted ? undefined : nowMs);
  const isBare = initialisedAtMs !== undefined && !node.hasAddress;
  seen.set(uid, {
    createdAtMs: earlier.createdAtMs ?? nowMs,
    initialisedAtMs,
    wasWithoutAddress: earlier.wasWithoutAddress === true || isBare,
    cordonedAtMs: earlier.cordonedAtMs ?? (node.isCordoned ? nowMs : undefined),
  });
}

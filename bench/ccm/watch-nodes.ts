import { systemClock } from '../../lib/clock.ts';
import { nodes } from '../../lib/kubernetes/resources.ts';
import { defaultWatchTimes } from '../../lib/kubernetes/watch/watch-times.ts';
import { watchList } from '../../lib/kubernetes/watch/watch-list.ts';
import type { KubernetesObject, Node } from '../../schemas/kubernetes.ts';
import type { ControllerFixture } from './fixture.ts';

export const uninitializedTaint = 'node.cloudprovider.kubernetes.io/uninitialized';

/** When what was seen of a Node, by the clock of `performance.now()`. */
export interface ObservedNode {
  readonly createdAtMs: number;
  /** Without the taint. */
  initialisedAtMs: number | undefined;
  /** The scheduler could have put pods on a Node without an address. */
  readonly wasWithoutAddress: boolean;
}

/** What a scheduler would see of the Nodes, from the moment when it was opened. */
export interface NodeWatch {
  observedNodes(): ReadonlyMap<string, ObservedNode>;
  close(): Promise<void>;
}

/** Settles when it has seen all that there is. */
export async function watchNodes({ client }: ControllerFixture): Promise<NodeWatch> {
  const controller = new AbortController();
  const seen = new Map<string, ObservedNode>();
  const synced = Promise.withResolvers<undefined>();
  const watched = watchList(
    { client, resource: nodes, selection: {}, transform: trim, times: defaultWatchTimes },
    {
      changed: (change) => {
        if (change.kind !== 'removed') record(seen, change.object);
      },
      listed: () => synced.resolve(undefined),
      failed: (error) => synced.reject(error),
    },
    { signal: controller.signal, clock: systemClock, random: Math.random },
  );
  await synced.promise;
  return {
    observedNodes: () => seen,
    close: async () => {
      controller.abort(new Error('the watch is over'));
      await watched.ended;
    },
  };
}

interface WatchedNode extends KubernetesObject {
  readonly isTainted: boolean;
  readonly hasAddress: boolean;
}

function trim({ metadata, spec, status }: Node): WatchedNode {
  const { name, uid, resourceVersion, creationTimestamp } = metadata;
  return {
    metadata: { name, uid, resourceVersion, creationTimestamp },
    isTainted: (spec.taints ?? []).some(({ key }) => key === uninitializedTaint),
    hasAddress: (status.addresses ?? []).some(({ type }) => type === 'InternalIP'),
  };
}

function record(seen: Map<string, ObservedNode>, { metadata, isTainted, hasAddress }: WatchedNode): void {
  const nowMs = performance.now();
  const earlier = seen.get(metadata.uid) ?? {
    createdAtMs: nowMs,
    initialisedAtMs: undefined,
    wasWithoutAddress: false,
  };
  const initialisedAtMs = earlier.initialisedAtMs ?? (isTainted ? undefined : nowMs);
  const isBare = initialisedAtMs !== undefined && !hasAddress;
  seen.set(metadata.uid, { ...earlier, initialisedAtMs, wasWithoutAddress: earlier.wasWithoutAddress || isBare });
}

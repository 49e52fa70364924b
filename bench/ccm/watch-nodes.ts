import { systemClock } from '../../lib/clock.ts';
import { nodes } from '../../lib/kubernetes/resources.ts';
import { usualWatchTimes } from '../../lib/kubernetes/watch/watch-times.ts';
import { watchList } from '../../lib/kubernetes/watch/watch-list.ts';
import type { KubernetesObject, Node } from '../../schemas/kubernetes.ts';
import type { Place } from './place.ts';

export const uninitializedTaint = 'node.cloudprovider.kubernetes.io/uninitialized';

/** When what was seen of a Node, by the clock of `performance.now()`. */
export interface Sighting {
  readonly createdAtMs: number;
  /** Without the taint. */
  initialisedAtMs: number | undefined;
  /** Pods could have been put on a Node that nobody could reach. */
  readonly wasBare: boolean;
}

/** What a scheduler would see of the Nodes, from the moment when it was opened. */
export interface NodeWatch {
  sightings(): ReadonlyMap<string, Sighting>;
  close(): Promise<void>;
}

/** Settles when it has seen all that there is. */
export async function watchNodes({ client }: Place): Promise<NodeWatch> {
  const over = new AbortController();
  const seen = new Map<string, Sighting>();
  const synced = Promise.withResolvers<undefined>();
  const watched = watchList(
    { client, resource: nodes, selection: {}, keep: trim, times: usualWatchTimes },
    {
      changed: (change) => {
        if (change.kind !== 'removed') note(seen, change.object);
      },
      listed: () => synced.resolve(undefined),
      trouble: (error) => synced.reject(error),
    },
    { signal: over.signal, clock: systemClock, random: Math.random },
  );
  await synced.promise;
  return {
    sightings: () => seen,
    close: async () => {
      over.abort(new Error('the watch is over'));
      await watched.ended;
    },
  };
}

interface Seen extends KubernetesObject {
  readonly isTainted: boolean;
  readonly hasAddress: boolean;
}

function trim({ metadata, spec, status }: Node): Seen {
  const { name, uid, resourceVersion, creationTimestamp } = metadata;
  return {
    metadata: { name, uid, resourceVersion, creationTimestamp },
    isTainted: (spec.taints ?? []).some(({ key }) => key === uninitializedTaint),
    hasAddress: (status.addresses ?? []).some(({ type }) => type === 'InternalIP'),
  };
}

function note(seen: Map<string, Sighting>, { metadata, isTainted, hasAddress }: Seen): void {
  const nowMs = performance.now();
  const earlier = seen.get(metadata.uid) ?? { createdAtMs: nowMs, initialisedAtMs: undefined, wasBare: false };
  const initialisedAtMs = earlier.initialisedAtMs ?? (isTainted ? undefined : nowMs);
  const isBare = initialisedAtMs !== undefined && !hasAddress;
  seen.set(metadata.uid, { ...earlier, initialisedAtMs, wasBare: earlier.wasBare || isBare });
}

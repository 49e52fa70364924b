import type { KubernetesObject } from '../../../schemas/kubernetes.ts';
import type { Clock } from '../../clock.ts';
import type { Failure } from '../../failure.ts';
import type { KubernetesClient } from '../client.ts';
import type { KubernetesError } from '../kubernetes-error.ts';
import type { Resource, Selection } from '../resources.ts';
import type { ObjectChange } from './store.ts';
import type { WatchTimes } from './watch-times.ts';

/** The state that the parts of the loop share. */
export interface WatchState<T, K extends KubernetesObject> {
  readonly request: WatchListRequest<T, K>;
  readonly handlers: WatchHandlers<K>;
  readonly context: WatchListContext;
  readonly store: Map<string, K>;
  /** The version of the store. Absent: a list is needed. */
  resourceVersion: string | undefined;
  isSynced: boolean;
  lastContactAtMs: number | undefined;
}

export interface WatchListRequest<T, K extends KubernetesObject> {
  readonly client: Pick<KubernetesClient, 'pages' | 'watch'>;
  readonly resource: Resource<T>;
  readonly selection: Selection;
  /** Trims an object before it is stored and reported: there may be thousands. */
  readonly transform: (object: T) => K;
  readonly times: WatchTimes;
}

/** Called in order, one at a time. If one throws, the watch ends and `ended` rejects. */
export interface WatchHandlers<K> {
  /** The store already has this change. */
  changed(change: ObjectChange<K>): void;
  /** All objects have been reported: after the first list, and after each later one. */
  listed(): void;
  /** The watch continues. A `Failure` means that there are no credentials. */
  failed(error: KubernetesError | Failure): void;
}

export interface WatchListContext {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: () => number;
}

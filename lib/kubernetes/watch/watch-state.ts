import type { KubernetesObject } from '../../../schemas/kubernetes.ts';
import type { Clock } from '../../clock.ts';
import type { Failure } from '../../failure.ts';
import type { KubernetesClient } from '../client.ts';
import type { KubernetesError } from '../kubernetes-error.ts';
import type { Resource, Selection } from '../resources.ts';
import type { ObjectChange } from './store.ts';
import type { WatchTimes } from './watch-times.ts';

/** What the parts of the loop share. */
export interface WatchState<T, K extends KubernetesObject> {
  readonly request: WatchListRequest<T, K>;
  readonly handlers: WatchHandlers<K>;
  readonly context: WatchListContext;
  readonly store: Map<string, K>;
  /** What the store is up to; absent: it has to be listed. */
  resourceVersion: string | undefined;
  isSynced: boolean;
  lastContactAtMs: number | undefined;
}

export interface WatchListRequest<T, K extends KubernetesObject> {
  readonly client: Pick<KubernetesClient, 'pages' | 'watch'>;
  readonly resource: Resource<T>;
  readonly selection: Selection;
  /** What of an object is remembered and told: of thousands only what is needed. */
  readonly transform: (object: T) => K;
  readonly times: WatchTimes;
}

/** Called in order and not at once; one that throws ends the watch, and `ended` rejects. */
export interface WatchHandlers<K> {
  /** The objects are as this says already. */
  changed(change: ObjectChange<K>): void;
  /** Everything that there is has been told: after the first list, and after each later one. */
  listed(): void;
  /** It goes on by itself; `Failure` means that there are no credentials to ask with. */
  failed(error: KubernetesError | Failure): void;
}

export interface WatchListContext {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: () => number;
}

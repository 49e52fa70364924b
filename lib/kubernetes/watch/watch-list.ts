import type { KubernetesObject } from '../../../schemas/kubernetes.ts';
import type { Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import type { KubernetesClient } from '../client.ts';
import { KubernetesError } from '../kubernetes-error.ts';
import type { Resource, Selection } from '../resources.ts';
import { createBackoff } from './backoff.ts';
import { handleWatch } from './handle-watch.ts';
import { relist } from './relist.ts';
import type { ObjectChange } from './store.ts';
import type { WatchTimes } from './watch-times.ts';

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

export interface WatchedList<K> {
  readonly objects: ReadonlyMap<string, K>;
  /** Was everything told at least once? */
  isSynced(): boolean;
  /** When the API server last said anything, by the monotonic clock. */
  lastContactAtMs(): number | undefined;
  /** Resolves when the signal has ended it. */
  readonly ended: Promise<void>;
}

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

/** Lists, then watches from there, for ever: whatever breaks, what was missed in between is told afterwards. */
export function watchList<T, K extends KubernetesObject>(
  request: WatchListRequest<T, K>,
  handlers: WatchHandlers<K>,
  context: WatchListContext,
): WatchedList<K> {
  const state: WatchState<T, K> = {
    request,
    handlers,
    context,
    store: new Map(),
    resourceVersion: undefined,
    isSynced: false,
    lastContactAtMs: undefined,
  };
  return {
    objects: state.store,
    isSynced: () => state.isSynced,
    lastContactAtMs: () => state.lastContactAtMs,
    ended: watchForever(state),
  };
}

async function watchForever<T, K extends KubernetesObject>(state: WatchState<T, K>): Promise<void> {
  const { handlers, context, request } = state;
  const backoff = createBackoff(request.times, context);
  while (!context.signal.aborted) {
    backoff.startAttempt();
    const error = await watchOnce(state);
    if (error !== undefined) handlers.failed(error);
    // Rejects when the signal ends it, which the loop sees by itself.
    await backoff.wait(error).catch(() => undefined);
  }
}

/** One connection's life. Gives back what ended it, if it was no orderly end. */
async function watchOnce<T, K extends KubernetesObject>(
  state: WatchState<T, K>,
): Promise<KubernetesError | Failure | undefined> {
  try {
    state.resourceVersion ??= await relist(state);
    await handleWatch(state, state.resourceVersion);
    return undefined;
  } catch (error) {
    if (state.context.signal.aborted) return undefined;
    if (!(error instanceof KubernetesError || error instanceof Failure)) throw error;
    if (mustRelist.has(error.kind)) state.resourceVersion = undefined;
    return error;
  }
}

/** A list is always right; after these a version is not worth to go on from. */
const mustRelist: ReadonlySet<string> = new Set(['gone', 'invalid-response', 'invalid']);

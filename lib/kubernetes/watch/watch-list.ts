import type { KubernetesObject } from '../../../schemas/kubernetes.ts';
import { Failure } from '../../failure.ts';
import { KubernetesError } from '../kubernetes-error.ts';
import { createBackoff } from './backoff.ts';
import { handleWatch } from './handle-watch.ts';
import { relist } from './relist.ts';
import type { WatchHandlers, WatchListContext, WatchListRequest, WatchState } from './watch-state.ts';

export interface WatchedList<K> {
  readonly objects: ReadonlyMap<string, K>;
  /** Was everything told at least once? */
  isSynced(): boolean;
  /** When the API server last said anything, by the monotonic clock. */
  lastContactAtMs(): number | undefined;
  /** Resolves when the signal has ended it. */
  readonly ended: Promise<void>;
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

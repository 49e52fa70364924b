import type { KubernetesObject } from '../../../schemas/kubernetes.ts';
import { Failure } from '../../failure.ts';
import { KubernetesError } from '../kubernetes-error.ts';
import { createBackoff } from './backoff.ts';
import { handleWatch } from './handle-watch.ts';
import { relist } from './relist.ts';
import type { WatchHandlers, WatchListContext, WatchListRequest, WatchState } from './watch-state.ts';

export interface WatchedList<K> {
  readonly objects: ReadonlyMap<string, K>;
  /** Whether all objects have been reported once. */
  isSynced(): boolean;
  /** When the API server last sent anything, on the monotonic clock. */
  lastContactAtMs(): number | undefined;
  /** Resolves after the signal is aborted. */
  readonly ended: Promise<void>;
}

/** Lists and then watches, for ever. After a failure it reports what it missed. */
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
    // Rejects when the signal is aborted. The condition of the loop handles that.
    await backoff.wait(error).catch(() => undefined);
  }
}

/** Runs one connection. Returns the error that ended it, or `undefined` after an orderly end. */
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

/** After these errors the version cannot be used any more, and a list is needed. */
const mustRelist: ReadonlySet<string> = new Set(['gone', 'invalid-response', 'invalid']);

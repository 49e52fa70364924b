import type { KubernetesObject } from '../../../schemas/kubernetes.ts';
import { KubernetesError } from '../kubernetes-error.ts';
import { remedies } from '../remedies.ts';
import { notifyChanges } from './relist.ts';
import { readObject } from './read-object.ts';
import { drop, dropUnreadable, put } from './store.ts';
import type { WatchEvent } from './watch-event.ts';
import type { WatchState } from './watch-state.ts';

/** Watches from the store's version until the API server ends the connection, it breaks, or it stays silent too long. */
export async function handleWatch<T, K extends KubernetesObject>(
  state: WatchState<T, K>,
  resourceVersion: string,
): Promise<void> {
  const { client, resource, selection, times } = state.request;
  const { signal, random } = state.context;
  const controller = new AbortController();
  const ownSignal = AbortSignal.any([signal, controller.signal]);
  const timeoutSeconds = Math.round(times.shortestWatchSeconds * (1 + random()));
  const events = await client.watch(resource, { ...selection, resourceVersion, timeoutSeconds }, ownSignal);
  recordContact(state);
  const silenceTimer = abortOnSilence(state, controller);
  try {
    for await (const event of events) {
      recordContact(state);
      applyEvent(state, event);
    }
  } finally {
    controller.abort(watchEnded);
    await silenceTimer;
  }
}

function recordContact<T, K extends KubernetesObject>(state: WatchState<T, K>): void {
  state.lastContactAtMs = state.context.clock.monotonicMs();
}

function applyEvent<T, K extends KubernetesObject>(state: WatchState<T, K>, event: WatchEvent<T>): void {
  const { store } = state;
  if (event.type === 'BOOKMARK') {
    state.resourceVersion = event.resourceVersion;
    return;
  }
  const object = readObject(state, event.object);
  if (object === undefined) notifyChanges(state, dropUnreadable(store, event.object));
  else notifyChanges(state, event.type === 'DELETED' ? drop(store, object) : put(store, object));
  // Only now: the next watch starts from this version, so this event must have been delivered.
  state.resourceVersion = event.object.metadata.resourceVersion;
}

const watchEnded = new Error('the watch has ended');

/** One timer for a connection, not one for each event. */
async function abortOnSilence<T, K extends KubernetesObject>(
  state: WatchState<T, K>,
  controller: AbortController,
): Promise<void> {
  const { request, context } = state;
  const { longestSilenceMs } = request.times;
  const remainingMs = (): number => (state.lastContactAtMs ?? 0) + longestSilenceMs - context.clock.monotonicMs();
  try {
    while (remainingMs() > 0) await context.clock.sleep(remainingMs(), controller.signal);
  } catch {
    return;
  }
  const message = `watch ${request.resource.plural}: nothing was heard for ${longestSilenceMs / 1000} s`;
  controller.abort(new KubernetesError('unavailable', message, { remedy: remedies.unavailable }));
}

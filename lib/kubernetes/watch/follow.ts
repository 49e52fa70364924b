import type { KubernetesObject } from '../../../schemas/kubernetes.ts';
import { KubernetesError } from '../kubernetes-error.ts';
import { remedies } from '../remedies.ts';
import { tell } from './relist.ts';
import { readObject } from './read-object.ts';
import { drop, dropUnreadable, put } from './store.ts';
import type { WatchEvent } from './watch-event.ts';
import type { Watching } from './watch-list.ts';

/** From the store's version on, until the API server ends the connection, it breaks, or nothing is heard any more. */
export async function follow<T, K extends KubernetesObject>(
  watching: Watching<T, K>,
  resourceVersion: string,
): Promise<void> {
  const { client, resource, selection, times } = watching.request;
  const { signal, random } = watching.context;
  const over = new AbortController();
  const ownSignal = AbortSignal.any([signal, over.signal]);
  const endsAfterSeconds = Math.round(times.shortestWatchSeconds * (1 + random()));
  const events = await client.watch(resource, { ...selection, resourceVersion, endsAfterSeconds }, ownSignal);
  heard(watching);
  const silence = breakOffSilence(watching, over);
  try {
    for await (const event of events) {
      heard(watching);
      apply(watching, event);
    }
  } finally {
    over.abort(ended);
    await silence;
  }
}

function heard<T, K extends KubernetesObject>(watching: Watching<T, K>): void {
  watching.lastContactAtMs = watching.context.clock.monotonicMs();
}

function apply<T, K extends KubernetesObject>(watching: Watching<T, K>, event: WatchEvent<T>): void {
  const { store } = watching;
  if (event.type === 'BOOKMARK') {
    watching.resourceVersion = event.resourceVersion;
    return;
  }
  const object = readObject(watching, event.object);
  if (object === undefined) tell(watching, dropUnreadable(store, event.object));
  else tell(watching, event.type === 'DELETED' ? drop(store, object) : put(store, object));
  // Only now: whoever goes on from here must have been told.
  watching.resourceVersion = event.object.metadata.resourceVersion;
}

const ended = new Error('the watch has ended');

/** One timer for each connection, not for each event. */
async function breakOffSilence<T, K extends KubernetesObject>(
  watching: Watching<T, K>,
  over: AbortController,
): Promise<void> {
  const { request, context } = watching;
  const { longestSilenceMs } = request.times;
  const leftMs = (): number => (watching.lastContactAtMs ?? 0) + longestSilenceMs - context.clock.monotonicMs();
  try {
    while (leftMs() > 0) await context.clock.sleep(leftMs(), over.signal);
  } catch {
    return;
  }
  const message = `watch ${request.resource.plural}: nothing was heard for ${longestSilenceMs / 1000} s`;
  over.abort(new KubernetesError('unavailable', message, { remedy: remedies.unavailable }));
}

import { systemClock } from '../../lib/clock.ts';
import { watchList } from '../../lib/kubernetes/watch/watch-list.ts';
import type { ObjectChange } from '../../lib/kubernetes/watch/store.ts';
import type { WatchListRequest } from '../../lib/kubernetes/watch/watch-state.ts';
import { defaultWatchTimes } from '../../lib/kubernetes/watch/watch-times.ts';
import type { KubernetesObject } from '../../schemas/kubernetes.ts';

/** Settles when it has reported all that there is. */
export async function startWatch<T, K extends KubernetesObject>(
  request: Omit<WatchListRequest<T, K>, 'times'>,
  changed: (change: ObjectChange<K>) => void,
): Promise<{ close(): Promise<void> }> {
  const controller = new AbortController();
  const synced = Promise.withResolvers<undefined>();
  const watched = watchList(
    { ...request, times: defaultWatchTimes },
    { changed, listed: () => synced.resolve(undefined), failed: (error) => synced.reject(error) },
    { signal: controller.signal, clock: systemClock, random: Math.random },
  );
  await synced.promise;
  return {
    close: async () => {
      controller.abort(new Error('the watch is over'));
      await watched.ended;
    },
  };
}

import type { KubernetesObject } from '../../../schemas/kubernetes.ts';
import { readObject } from './read-object.ts';
import { dropOthers, keyOf, put } from './store.ts';
import type { ObjectChange } from './store.ts';
import type { WatchState } from './watch-state.ts';

/** Reports new and changed objects page by page, and removed ones at the end. Returns the version of the store. */
export async function relist<T, K extends KubernetesObject>(state: WatchState<T, K>): Promise<string> {
  const { request, store, handlers, context } = state;
  const { client, resource, selection } = request;
  const keys = new Set<string>();
  let resourceVersion = '';
  for await (const page of client.pages(resource, selection, context.signal)) {
    state.lastContactAtMs = context.clock.monotonicMs();
    for (const item of page.items) {
      const object = readObject(state, item);
      if (object === undefined) continue;
      keys.add(keyOf(object));
      notifyChanges(state, put(store, object));
    }
    ({ resourceVersion } = page);
  }
  notifyChanges(state, dropOthers(store, keys));
  state.isSynced = true;
  handlers.listed();
  return resourceVersion;
}

export function notifyChanges<T, K extends KubernetesObject>(
  { handlers }: WatchState<T, K>,
  changes: readonly ObjectChange<K>[],
): void {
  for (const change of changes) handlers.changed(change);
}

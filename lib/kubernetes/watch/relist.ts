import type { KubernetesObject } from '../../../schemas/kubernetes.ts';
import { readObject } from './read-object.ts';
import { dropOthers, keyOf, put } from './store.ts';
import type { Change } from './store.ts';
import type { Watching } from './watch-list.ts';

/** Tells what is new or otherwise page by page, and what is no more at the end. Gives the version the store is up to. */
export async function relist<T, K extends KubernetesObject>(watching: Watching<T, K>): Promise<string> {
  const { request, store, handlers, context } = watching;
  const { client, resource, selection } = request;
  const keys = new Set<string>();
  let resourceVersion = '';
  for await (const page of client.pages(resource, selection, context.signal)) {
    watching.lastContactAtMs = context.clock.monotonicMs();
    for (const item of page.items) {
      const object = readObject(watching, item);
      if (object === undefined) continue;
      keys.add(keyOf(object));
      tell(watching, put(store, object));
    }
    ({ resourceVersion } = page);
  }
  tell(watching, dropOthers(store, keys));
  watching.isSynced = true;
  handlers.listed();
  return resourceVersion;
}

export function tell<T, K extends KubernetesObject>({ handlers }: Watching<T, K>, changes: readonly Change<K>[]): void {
  for (const change of changes) handlers.changed(change);
}

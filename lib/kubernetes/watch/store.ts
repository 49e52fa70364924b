import type { KubernetesObject } from '../../../schemas/kubernetes.ts';

/** A change of one object. */
export type ObjectChange<K> =
  | { readonly kind: 'added'; readonly object: K }
  | { readonly kind: 'changed'; readonly object: K; readonly before: K }
  | { readonly kind: 'removed'; readonly object: K };

/** By `name`, or by `namespace/name` for a namespaced kind. */
export type Store<K> = Map<string, K>;

export function keyOf({ metadata: { namespace, name } }: KubernetesObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** A new object with the name of an old one first removes the old one, so that readers never mix the two. */
export function put<K extends KubernetesObject>(store: Store<K>, object: K): readonly ObjectChange<K>[] {
  const key = keyOf(object);
  const before = store.get(key);
  if (before !== undefined && isSame(before, object)) return [];
  store.set(key, object);
  if (before === undefined) return [{ kind: 'added', object }];
  if (before.metadata.uid !== object.metadata.uid) return [removed(before), { kind: 'added', object }];
  return [{ kind: 'changed', object, before }];
}

/** `object` is the last state. */
export function drop<K extends KubernetesObject>(store: Store<K>, object: K): readonly ObjectChange<K>[] {
  const known = store.delete(keyOf(object));
  return known ? [removed(object)] : [];
}

/** The stored state of an object that can no longer be parsed is out of date. */
export function dropUnreadable<K extends KubernetesObject>(
  store: Store<K>,
  object: KubernetesObject,
): readonly ObjectChange<K>[] {
  const before = store.get(keyOf(object));
  store.delete(keyOf(object));
  return before === undefined ? [] : [removed(before)];
}

/** After a complete list: all other objects in the store were removed in the meantime. */
export function dropOthers<K extends KubernetesObject>(
  store: Store<K>,
  keys: ReadonlySet<string>,
): readonly ObjectChange<K>[] {
  const others = [...store].filter(([key]) => !keys.has(key));
  for (const [key] of others) store.delete(key);
  return others.map(([, object]) => removed(object));
}

function isSame(a: KubernetesObject, b: KubernetesObject): boolean {
  return a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion;
}

function removed<K>(object: K): ObjectChange<K> {
  return { kind: 'removed', object };
}

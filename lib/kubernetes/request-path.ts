import type { ObjectRef, Resource, Selection } from './resources.ts';

type AnyResource = Resource<unknown>;

/** The path of one object, relative to the address of the API server. */
export function objectPath(resource: AnyResource, ref: ObjectRef, subresource: string | undefined): string {
  const path = `${collectionPath(resource, ref.namespace)}/${encodeURIComponent(ref.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** Without a namespace: the objects of all namespaces, or of a cluster-scoped kind. */
export function collectionPath(
  { apiVersion, plural, isNamespaced }: AnyResource,
  namespace: string | undefined,
): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const inside = isNamespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${group}${inside}/${plural}`;
}

export function queryText(selection: Selection, more: Readonly<Record<string, string | undefined>>): string {
  const { fieldSelector, labelSelector } = selection;
  const given = Object.entries({ fieldSelector, labelSelector, ...more }).filter((entry) => isGiven(entry));
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function isGiven(entry: readonly [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined;
}

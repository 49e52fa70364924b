import { patchContent } from './patch.ts';
import type { Patch, Preconditions } from './patch.ts';
import { collectionPath, objectPath, queryText } from './request-path.ts';
import { pods } from './resources.ts';
import type { Draft, ObjectRef, Resource, Selection } from './resources.ts';
import type { ApiRequest } from './transport.ts';

export interface PatchRef extends ObjectRef, Preconditions {
  readonly subresource?: 'status';
}

export interface WatchOptions extends Selection {
  readonly resourceVersion: string;
  /** When the API server has to end it. */
  readonly timeoutSeconds: number;
}

export function getRequest<T>(resource: Resource<T>, ref: ObjectRef): ApiRequest {
  return { what: `get ${resource.plural} ${ref.name}`, method: 'GET', path: objectPath(resource, ref, undefined) };
}

export function createRequest<T>(resource: Resource<T>, draft: Draft<T>): ApiRequest {
  const { apiVersion, kind, plural } = resource;
  const path = collectionPath(resource, draft.metadata?.namespace);
  const body = JSON.stringify({ ...draft, apiVersion, kind });
  return { what: `create ${plural} ${draft.metadata?.name ?? ''}`.trimEnd(), method: 'POST', path, body };
}

export function patchRequest<T>(resource: Resource<T>, ref: PatchRef, patch: Patch): ApiRequest {
  const what = `patch ${resource.plural} ${ref.name}`;
  const path = objectPath(resource, ref, ref.subresource);
  const { accept } = resource;
  return { what, method: 'PATCH', path, ...(accept && { accept }), ...patchContent(patch, ref) };
}

/** The object with this UID and, if given, with this version. */
export interface DeleteRef extends ObjectRef {
  readonly uid: string;
  readonly resourceVersion?: string;
  /** Absent: the object's own. */
  readonly gracePeriodSeconds?: number;
}

export function deleteRequest<T>(resource: Resource<T>, ref: DeleteRef): ApiRequest {
  const path = objectPath(resource, ref, undefined);
  const body = JSON.stringify({ apiVersion: 'v1', ...deleteOptions(ref) });
  return { what: `delete ${resource.plural} ${ref.name}`, method: 'DELETE', path, body };
}

/** https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/ */
export function evictRequest({ name, namespace, ...ref }: EvictRef): ApiRequest {
  const path = objectPath(pods, { name, namespace }, 'eviction');
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  const body = JSON.stringify({ ...eviction, deleteOptions: deleteOptions(ref) });
  return { what: `evict pods ${name}`, method: 'POST', path, body };
}

/** This pod, and no other one of its name. */
export interface EvictRef extends Pick<DeleteRef, 'name' | 'uid' | 'gracePeriodSeconds'> {
  readonly namespace: string;
}

function deleteOptions({ uid, resourceVersion, gracePeriodSeconds }: Omit<DeleteRef, keyof ObjectRef>): object {
  const preconditions = { uid, ...(resourceVersion !== undefined && { resourceVersion }) };
  return { kind: 'DeleteOptions', preconditions, ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }) };
}

export function watchRequest<T>(resource: Resource<T>, options: WatchOptions): ApiRequest {
  const { resourceVersion, timeoutSeconds, namespace } = options;
  const query = queryText(options, {
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion,
    timeoutSeconds: String(timeoutSeconds),
  });
  return { what: `watch ${resource.plural}`, method: 'GET', path: `${collectionPath(resource, namespace)}${query}` };
}

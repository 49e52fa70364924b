import { patchContent } from './patch.ts';
import type { Patch, Preconditions } from './patch.ts';
import { collectionPath, objectPath, queryText } from './request-path.ts';
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
}

export function deleteRequest<T>(resource: Resource<T>, ref: DeleteRef): ApiRequest {
  const path = objectPath(resource, ref, undefined);
  const { uid, resourceVersion } = ref;
  const preconditions = { uid, ...(resourceVersion !== undefined && { resourceVersion }) };
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions });
  return { what: `delete ${resource.plural} ${ref.name}`, method: 'DELETE', path, body };
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

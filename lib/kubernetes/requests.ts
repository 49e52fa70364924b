import { patchContent } from './patch.ts';
import type { Patch, Preconditions } from './patch.ts';
import { collectionPath, objectPath, queryText } from './request-path.ts';
import type { Draft, Place, Resource, Selection } from './resources.ts';
import type { ApiRequest } from './transport.ts';

export interface PatchPlace extends Place, Preconditions {
  readonly subresource?: 'status';
}

export interface WatchFrom extends Selection {
  readonly resourceVersion: string;
  /** When the API server is to end it. */
  readonly endsAfterSeconds: number;
}

export function getRequest<T>(resource: Resource<T>, place: Place): ApiRequest {
  return { what: `get ${resource.plural} ${place.name}`, method: 'GET', path: objectPath(resource, place, undefined) };
}

export function createRequest<T>(resource: Resource<T>, draft: Draft<T>): ApiRequest {
  const { apiVersion, kind, plural } = resource;
  const path = collectionPath(resource, draft.metadata?.namespace);
  const body = JSON.stringify({ ...draft, apiVersion, kind });
  return { what: `create ${plural} ${draft.metadata?.name ?? ''}`.trimEnd(), method: 'POST', path, body };
}

export function patchRequest<T>(resource: Resource<T>, place: PatchPlace, patch: Patch): ApiRequest {
  const what = `patch ${resource.plural} ${place.name}`;
  const path = objectPath(resource, place, place.subresource);
  return { what, method: 'PATCH', path, ...patchContent(patch, place) };
}

/** The very object, and if that is said, still of the version that was read. */
export interface RemovePlace extends Place {
  readonly uid: string;
  readonly unchangedSince?: string;
}

export function removeRequest<T>(resource: Resource<T>, place: RemovePlace): ApiRequest {
  const path = objectPath(resource, place, undefined);
  const { uid, unchangedSince } = place;
  const preconditions = { uid, ...(unchangedSince !== undefined && { resourceVersion: unchangedSince }) };
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions });
  return { what: `delete ${resource.plural} ${place.name}`, method: 'DELETE', path, body };
}

export function watchRequest<T>(resource: Resource<T>, from: WatchFrom): ApiRequest {
  const { resourceVersion, endsAfterSeconds, namespace } = from;
  const query = queryText(from, {
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion,
    timeoutSeconds: String(endsAfterSeconds),
  });
  return { what: `watch ${resource.plural}`, method: 'GET', path: `${collectionPath(resource, namespace)}${query}` };
}

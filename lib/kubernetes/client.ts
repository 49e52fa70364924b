import { listAll, listPages } from './list-pages.ts';
import { parseObject } from './parse-response.ts';
import type { ListPage } from './parse-response.ts';
import type { Patch } from './patch.ts';
import { createRequest, deleteRequest, evictRequest, getRequest, patchRequest, watchRequest } from './requests.ts';
import type { DeleteRef, EvictRef, PatchRef, WatchOptions } from './requests.ts';
import type { Draft, ObjectRef, Resource, Selection } from './resources.ts';
import { createTransport } from './transport.ts';
import type { ApiRequest, TransportSettings } from './transport.ts';
import { readWatchEvents } from './watch/read-watch-events.ts';
import type { WatchEvent } from './watch/watch-event.ts';

/**
 * The few operations that we use. Each rejects with a `KubernetesError`, with a `Failure` when there are no
 * credentials to ask with, or with the signal's reason.
 */
export interface KubernetesClient {
  get<T>(resource: Resource<T>, ref: ObjectRef, signal: AbortSignal): Promise<T>;
  /** For kinds with many objects. `gone` if reading takes longer than the API server keeps the first version. */
  pages<T>(resource: Resource<T>, selection: Selection, signal: AbortSignal): AsyncIterable<ListPage<T>>;
  list<T>(resource: Resource<T>, selection: Selection, signal: AbortSignal): Promise<ListPage<T>>;
  /** In the namespace of the draft, if the kind has namespaces. */
  create<T>(resource: Resource<T>, draft: Draft<T>, signal: AbortSignal): Promise<T>;
  patch<T>(resource: Resource<T>, ref: PatchRef, patch: Patch, signal: AbortSignal): Promise<T>;
  /** Deletes only this object. If another object has its name now, the result is `conflict`. */
  delete<T>(resource: Resource<T>, ref: DeleteRef, signal: AbortSignal): Promise<void>;
  /** Deletes a pod if its PodDisruptionBudgets allow it. Otherwise the result is `blocked`. */
  evict(ref: EvictRef, signal: AbortSignal): Promise<void>;
  /** One connection's events, in order; resolves when the API server has begun, and ends when it does. */
  watch<T>(resource: Resource<T>, options: WatchOptions, signal: AbortSignal): Promise<AsyncIterable<WatchEvent<T>>>;
  /** A response that is not an object. `what` is for messages. */
  read(what: string, path: string, signal: AbortSignal): Promise<string>;
  /** Aborts all requests. */
  close(): void;
}

export function createClient(settings: TransportSettings): KubernetesClient {
  const transport = createTransport(settings);
  const sendForObject = <T>(resource: Resource<T>, request: ApiRequest, signal: AbortSignal): Promise<T> =>
    transport.send(request, signal, (body) => parseObject(request.what, resource, body));
  return {
    get: (resource, ref, signal) => sendForObject(resource, getRequest(resource, ref), signal),
    pages: (resource, selection, signal) => listPages(transport, { resource, selection }, signal),
    list: (resource, selection, signal) => listAll(transport, { resource, selection }, signal),
    create: (resource, draft, signal) => sendForObject(resource, createRequest(resource, draft), signal),
    patch: (resource, ref, patch, signal) => sendForObject(resource, patchRequest(resource, ref, patch), signal),
    delete: (resource, ref, signal) => transport.send(deleteRequest(resource, ref), signal, () => {}),
    evict: (ref, signal) => transport.send(evictRequest(ref), signal, () => {}),
    watch: async (resource, options, signal) => {
      const request = watchRequest(resource, options);
      return readWatchEvents(request.what, await transport.openStream(request, signal), signal);
    },
    read: (what, path, signal) => transport.send({ what, method: 'GET', path, accept: '*/*' }, signal, (body) => body),
    close: () => transport.close(),
  };
}

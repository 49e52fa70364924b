import type { KubernetesObject } from '../../../schemas/kubernetes.ts';
import { parseJson } from '../../json.ts';
import { isObject, invalidResponse } from '../parse-response.ts';
import { isRecord, recordAt, textAt } from '../record.ts';
import { eventError } from '../status-error.ts';

/** In the API server's format. A deleted object comes with its last state. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T & KubernetesObject }
  /** There is no change up to this version. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/** Parses one line of a watch. Throws an ERROR event; the usual one is `gone`. */
export function parseWatchEvent<T>(what: string, line: string): WatchEvent<T> {
  const event = parseJson(line);
  if (!isRecord(event)) throw invalidResponse(what, 'has a line that is no event');
  const { type, object } = event;
  if (type === 'ERROR') throw eventError(what, object);
  if (type === 'BOOKMARK') return { type, resourceVersion: versionOf(what, object) };
  if (!isChange(type) || !isObject(object)) throw invalidResponse(what, 'has a line that is no event');
  return { type, object: object as T & KubernetesObject };
}

function isChange(type: unknown): type is 'ADDED' | 'MODIFIED' | 'DELETED' {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

function versionOf(what: string, object: unknown): string {
  const version = textAt(recordAt(object, 'metadata'), 'resourceVersion');
  if (version !== undefined) return version;
  throw invalidResponse(what, 'has a bookmark without a version');
}

import type { KubernetesObject } from '../../schemas/kubernetes.ts';
import { parseJson } from '../json.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { remedies } from './remedies.ts';
import { isRecord, recordAt, textAt } from './record.ts';
import type { Resource } from './resources.ts';

export interface ListPage<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** The token for the next page. Absent on the last one. */
  readonly continueToken?: string;
}

/** Another server must not be taken for the API server: above all, a missing object is not an empty list. */
export function parseObject<T>(what: string, resource: Resource<T>, body: string): T {
  const object = parseJson(body);
  if (!isRecord(object) || object['kind'] !== resource.kind) throw invalidResponse(what, `is no ${resource.kind}`);
  return resource.transform === undefined ? (object as T) : resource.transform(object as T);
}

export function parseListPage<T>(what: string, resource: Resource<T>, body: string): ListPage<T> {
  const list = parseJson(body);
  if (!isRecord(list) || list['kind'] !== `${resource.kind}List`) {
    throw invalidResponse(what, `is no ${resource.kind}List`);
  }
  const metadata = recordAt(list, 'metadata');
  const resourceVersion = textAt(metadata, 'resourceVersion');
  if (resourceVersion === undefined) throw invalidResponse(what, 'has no version');
  // Go encodes an empty list as null if it was never set.
  const items: unknown = list['items'] ?? [];
  if (!('items' in list) || !Array.isArray(items)) throw invalidResponse(what, 'has no items');
  if (!items.every(isObject)) throw invalidResponse(what, 'has items that are no objects');
  const continueToken = textAt(metadata, 'continue');
  return {
    items: items as unknown as readonly T[],
    resourceVersion,
    ...(continueToken !== undefined && { continueToken }),
  };
}

/** All other code relies on this: an object has its name, UID and version. */
export function isObject(value: unknown): value is KubernetesObject {
  const metadata = recordAt(value, 'metadata');
  return ['name', 'uid', 'resourceVersion'].every((key) => textAt(metadata, key) !== undefined);
}

export function invalidResponse(what: string, problem: string): KubernetesError {
  return new KubernetesError('invalid-response', `${what}: the answer ${problem}`, {
    remedy: remedies['invalid-response'],
  });
}

import type { Event, Lease, Node, ObjectMeta } from '../../schemas/kubernetes.ts';
import type { ConfigMap, Pod, SubjectAccessReview, TokenReview } from './objects.ts';

/** One kind and its path at the API server. `T` is the type of its objects. */
export interface Resource<T> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** What responses contain. Absent: whole objects. */
  readonly accept?: string;
  /** Trims a single object as soon as it is read. */
  transform?(object: T): T;
  /** Carries the type, never a value. */
  readonly example?: T;
}

export const nodes: Resource<Node> = cluster('v1', 'Node', 'nodes');
export const pods: Resource<Pod> = namespaced('v1', 'Pod', 'pods');
export const configMaps: Resource<ConfigMap> = namespaced('v1', 'ConfigMap', 'configmaps');
export const events: Resource<Event> = namespaced('v1', 'Event', 'events');
export const leases: Resource<Lease> = namespaced('coordination.k8s.io/v1', 'Lease', 'leases');
export const tokenReviews: Resource<TokenReview> = cluster('authentication.k8s.io/v1', 'TokenReview', 'tokenreviews');
export const subjectAccessReviews: Resource<SubjectAccessReview> = cluster(
  'authorization.k8s.io/v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
);

function cluster<T>(apiVersion: string, kind: string, plural: string): Resource<T> {
  return { apiVersion, kind, plural, isNamespaced: false };
}

function namespaced<T>(apiVersion: string, kind: string, plural: string): Resource<T> {
  return { apiVersion, kind, plural, isNamespaced: true };
}

/** An object to create. The API server adds its own fields, the client adds apiVersion and kind. */
export type Draft<T> = {
  readonly [Key in keyof T as Exclude<Key, 'apiVersion' | 'kind' | 'metadata' | 'status'>]: T[Key];
} & { readonly metadata?: DraftMeta };

export interface DraftMeta extends Partial<Pick<ObjectMeta, 'name' | 'namespace' | 'labels' | 'annotations'>> {
  readonly generateName?: string;
}

export interface ObjectRef {
  readonly name: string;
  /** Only for namespaced kinds. */
  readonly namespace?: string;
}

/** Selects objects. Empty: all of them. */
export interface Selection {
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

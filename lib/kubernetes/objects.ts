import type { KubernetesObject, ObjectMeta } from '../../schemas/kubernetes.ts';

/** Kinds that only `lib/` and the agent use, with the fields that they use. */
export interface Pod extends KubernetesObject {
  readonly metadata: ObjectMeta & { readonly ownerReferences?: readonly OwnerReference[] };
  readonly spec: {
    readonly nodeName?: string;
    readonly terminationGracePeriodSeconds?: number;
  };
  readonly status: { readonly phase?: string };
}

export interface OwnerReference {
  readonly kind: string;
  readonly controller?: boolean;
}

export interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** The API server does not store it, so it has no uid and no version. */
export interface TokenReview {
  readonly spec: { readonly token: string; readonly audiences?: readonly string[] };
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: ReviewedUser;
    readonly audiences?: readonly string[];
    readonly error?: string;
  };
}

export interface ReviewedUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface SubjectAccessReview {
  readonly spec: {
    readonly user?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
    readonly nonResourceAttributes?: { readonly path: string; readonly verb: string };
    readonly resourceAttributes?: {
      readonly group?: string;
      readonly resource?: string;
      readonly subresource?: string;
      readonly verb?: string;
      readonly namespace?: string;
      readonly name?: string;
    };
  };
  readonly status?: { readonly allowed: boolean; readonly denied?: boolean; readonly reason?: string };
}

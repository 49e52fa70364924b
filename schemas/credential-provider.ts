import * as z from 'zod/mini';

/**
 * What the kubelet writes to standard input and reads from standard output.
 * https://kubernetes.io/docs/reference/config-api/kubelet-credentialprovider.v1/
 */
const group = 'credentialprovider.kubelet.k8s.io';

/** Only the first one has tokens of service accounts. */
export const requestVersions = [`${group}/v1`, `${group}/v1beta1`, `${group}/v1alpha1`] as const;

const ApiVersion = z.enum(requestVersions);

/** Unknown fields are ignored, so that a newer kubelet can add some. */
export const CredentialProviderRequest = z.object({
  kind: z.literal('CredentialProviderRequest'),
  apiVersion: ApiVersion,
  image: z.string().check(z.minLength(1)),
  serviceAccountToken: z.nullish(z.string().check(z.minLength(1))),
  serviceAccountAnnotations: z.nullish(z.record(z.string(), z.string())),
});
export type CredentialProviderRequest = z.infer<typeof CredentialProviderRequest>;

/** The kubelet decodes strictly: it discards a response with an unknown field or without `cacheKeyType`. */
export interface CredentialProviderResponse {
  readonly kind: 'CredentialProviderResponse';
  readonly apiVersion: CredentialProviderRequest['apiVersion'];
  readonly cacheKeyType: 'Image' | 'Registry' | 'Global';
  /** A Go duration. */
  readonly cacheDuration: string;
  readonly auth: Readonly<Record<string, { readonly username: string; readonly password: string }>>;
}

import * as z from 'zod/mini';

/**
 * What the kubelet writes to our standard input and reads from our standard output.
 * https://kubernetes.io/docs/reference/config-api/kubelet-credentialprovider.v1/
 */
const group = 'credentialprovider.kubelet.k8s.io';

/** Tokens of service accounts come with the first one only. */
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

/** The kubelet decodes strictly: one field more, or `cacheKeyType` missing, and the whole answer is thrown away. */
export interface CredentialProviderResponse {
  readonly kind: 'CredentialProviderResponse';
  readonly apiVersion: CredentialProviderRequest['apiVersion'];
  readonly cacheKeyType: 'Image' | 'Registry' | 'Global';
  /** As Go writes durations. */
  readonly cacheDuration: string;
  readonly auth: Readonly<Record<string, { readonly username: string; readonly password: string }>>;
}

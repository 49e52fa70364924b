import * as z from 'zod/mini';

/**
 * The kubelet's file, by the rules of its strict decoding: an unknown field is an error, a number is not a string, and null
 * is the same as absent. Its validation of the values is in `rules.ts`.
 * https://kubernetes.io/docs/reference/config-api/kubelet-credentialprovider.v1/
 */
const text = z.nullish(z.string());
const texts = z.nullish(z.array(z.nullable(z.string())));

const TokenAttributes = z.strictObject({
  serviceAccountTokenAudience: text,
  cacheType: text,
  requireServiceAccount: z.nullish(z.boolean()),
  requiredServiceAccountAnnotationKeys: texts,
  optionalServiceAccountAnnotationKeys: texts,
});
export type TokenAttributes = z.infer<typeof TokenAttributes>;

const CredentialProvider = z.strictObject({
  name: text,
  matchImages: texts,
  defaultCacheDuration: text,
  apiVersion: text,
  args: texts,
  env: z.nullish(z.array(z.nullable(z.strictObject({ name: text, value: text })))),
  tokenAttributes: z.nullish(TokenAttributes),
});
export type CredentialProvider = z.infer<typeof CredentialProvider>;

export const CredentialProviderConfig = z.strictObject({
  apiVersion: z.string(),
  kind: z.string(),
  providers: z.nullish(z.array(z.nullable(CredentialProvider))),
});
export type CredentialProviderConfig = z.infer<typeof CredentialProviderConfig>;

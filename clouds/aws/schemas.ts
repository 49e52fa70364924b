import * as z from 'zod/mini';

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html */
export const RoleCredentials = z.object({
  Code: z.optional(z.string()),
  AccessKeyId: z.string(),
  SecretAccessKey: z.string(),
  Token: z.string(),
  Expiration: z.optional(z.string()),
});
export type RoleCredentials = z.infer<typeof RoleCredentials>;

/** https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html */
export const ProcessCredentials = z.object({
  Version: z.literal(1),
  AccessKeyId: z.string(),
  SecretAccessKey: z.string(),
  SessionToken: z.nullish(z.string()),
  Expiration: z.optional(z.string()),
});
export type ProcessCredentials = z.infer<typeof ProcessCredentials>;

/** ECR's response (`authorizationData` has one entry, since `registryIds` is never sent). */
export const AuthorizationData = z.object({
  authorizationToken: z.string(),
  /** An invalid date is possible: the SDK converts any number. */
  expiresAt: z.optional(z.unknown()),
});
export type AuthorizationData = z.infer<typeof AuthorizationData>;

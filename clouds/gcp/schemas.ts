import * as z from 'zod/mini';

/**
 * https://cloud.google.com/compute/docs/access/authenticate-workloads; the token endpoint and STS respond in the same
 * format.
 */
export const TokenResponse = z.object({ access_token: z.string(), expires_in: z.optional(z.number()) });

/** The response of the token endpoint to a request for an identity token. */
export const IdTokenAnswer = z.object({ id_token: z.string().check(z.minLength(1)) });

/** https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken */
export const GeneratedAccessToken = z.object({ accessToken: z.string(), expireTime: z.optional(z.string()) });

/** https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateIdToken */
export const GeneratedIdToken = z.object({ token: z.string() });

/** The claims of a signed token that we read. */
export const GcpTokenClaims = z.object({
  iss: z.optional(z.string()),
  sub: z.optional(z.string()),
  aud: z.optional(z.union([z.string(), z.array(z.string())])),
  exp: z.optional(z.number()),
});
export type GcpTokenClaims = z.infer<typeof GcpTokenClaims>;

/** https://google.aip.dev/193, and the OAuth errors of RFC 6749 and RFC 8693. */
export const ApiError = z.object({
  error: z.object({
    status: z.optional(z.string()),
    message: z.optional(z.string()),
    /** The older format, which Compute Engine uses: with or without a status. */
    errors: z.optional(z.array(z.object({ reason: z.optional(z.string()) }))),
    details: z.optional(
      z.array(
        z.object({
          reason: z.optional(z.string()),
          metadata: z.optional(z.record(z.string(), z.unknown())),
        }),
      ),
    ),
  }),
});

export type ApiError = z.infer<typeof ApiError>;

export const OAuthError = z.object({ error: z.string(), error_description: z.optional(z.string()) });

/** What GOOGLE_APPLICATION_CREDENTIALS may name: https://google.aip.dev/auth/4110 */
export const ServiceAccountKey = z.object({
  type: z.literal('service_account'),
  client_email: z.string(),
  private_key: z.string(),
  private_key_id: z.optional(z.string()),
});

export const AuthorizedUser = z.object({
  type: z.literal('authorized_user'),
  client_id: z.string(),
  client_secret: z.string(),
  refresh_token: z.string(),
});

/** https://google.aip.dev/auth/4117 */
export const ExternalAccount = z.object({
  type: z.literal('external_account'),
  audience: z.string(),
  subject_token_type: z.string(),
  service_account_impersonation_url: z.optional(z.string()),
  credential_source: z.object({
    file: z.optional(z.string()),
    url: z.optional(z.string()),
    headers: z.optional(z.record(z.string(), z.string())),
    format: z.optional(z.object({ type: z.string(), subject_token_field_name: z.optional(z.string()) })),
  }),
});
export type ExternalAccount = z.infer<typeof ExternalAccount>;

export const ImpersonatedServiceAccount = z.object({
  type: z.literal('impersonated_service_account'),
  service_account_impersonation_url: z.string(),
  delegates: z.optional(z.array(z.string())),
  source_credentials: z.unknown(),
});

/** The kind of a file, and its universe. */
export const CredentialsFileType = z.object({ type: z.string(), universe_domain: z.optional(z.string()) });

/** https://cloud.google.com/compute/docs/metadata/predefined-metadata-keys#instance-metadata */
export const NetworkInterfaces = z.array(
  z.object({
    ip: z.optional(z.string()),
    ipv6s: z.optional(z.array(z.string())),
    accessConfigs: z.optional(z.array(z.object({ externalIp: z.optional(z.string()) }))),
    ipAliases: z.optional(z.array(z.string())),
  }),
);

/** https://cloud.google.com/compute/docs/reference/rest/v1/instances#Instance; of it what we ask for. */
export const ComputeInstance = z.object({
  kind: z.literal('compute#instance'),
  id: z.string().check(z.regex(/^\d{1,20}$/)),
  name: z.string(),
  zone: z.string(),
  status: z.string(),
  machineType: z.string(),
  networkInterfaces: z.optional(
    z.array(
      z.object({
        networkIP: z.optional(z.string()),
        ipv6Address: z.optional(z.string()),
        ipv6AccessConfigs: z.optional(z.array(z.object({ externalIpv6: z.optional(z.string()) }))),
        accessConfigs: z.optional(z.array(z.object({ natIP: z.optional(z.string()) }))),
        aliasIpRanges: z.optional(z.array(z.object({ ipCidrRange: z.optional(z.string()) }))),
      }),
    ),
  ),
});
export type ComputeInstance = z.infer<typeof ComputeInstance>;

const Warning = z.object({ code: z.optional(z.string()) });

/** https://cloud.google.com/compute/docs/reference/rest/v1/instances/aggregatedList#response-body */
export const AggregatedInstances = z.object({
  kind: z.literal('compute#instanceAggregatedList'),
  items: z.optional(
    z.record(z.string(), z.object({ instances: z.optional(z.array(z.unknown())), warning: z.optional(Warning) })),
  ),
  nextPageToken: z.optional(z.string()),
  unreachables: z.optional(z.array(z.string())),
  warning: z.optional(Warning),
});
export type AggregatedInstances = z.infer<typeof AggregatedInstances>;

import * as z from 'zod/mini';

/** https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token */
export const ManagedIdentityToken = z.object({
  access_token: z.string(),
  /** Seconds since 1970, in digits. */
  expires_on: z.optional(z.union([z.string(), z.number()])),
});

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
export const EntraTokenResponse = z.object({
  access_token: z.string(),
  expires_in: z.optional(z.number()),
});

/** The same page: errors. The metadata service uses the same format without codes. */
export const EntraError = z.object({
  error: z.optional(z.string()),
  error_description: z.optional(z.string()),
  error_codes: z.optional(z.array(z.number())),
});

/** https://azure.github.io/acr/AAD-OAuth.html */
export const ExchangeResponse = z.object({ refresh_token: z.string() });

/** The error format of all registries: https://distribution.github.io/distribution/spec/api/#errors */
export const RegistryError = z.object({
  errors: z.array(z.object({ code: z.optional(z.string()), message: z.optional(z.string()) })),
});

/** The claim of a signed token that we read, without checking the signature. */
export const TokenClaims = z.object({ exp: z.optional(z.number()) });

const addresses = z.optional(
  z.object({
    ipAddress: z.optional(z.array(z.object({ privateIpAddress: z.string(), publicIpAddress: z.optional(z.string()) }))),
  }),
);

/**
 * What a Node needs of it. All values are texts, and those that do not apply are empty.
 * https://learn.microsoft.com/azure/virtual-machines/instance-metadata-service
 */
export const InstanceDocument = z.object({
  compute: z.object({
    resourceId: z.string(),
    vmId: z.string(),
    vmSize: z.string(),
    location: z.string(),
    zone: z.optional(z.string()),
    platformFaultDomain: z.optional(z.string()),
    platformSubFaultDomain: z.optional(z.string()),
  }),
  network: z.object({ interface: z.array(z.object({ ipv4: addresses, ipv6: addresses })) }),
});
export type InstanceDocument = z.infer<typeof InstanceDocument>;

const PublicAddress = z.object({ frontendIpAddress: z.string(), privateIpAddress: z.string() });
export type PublicAddress = z.infer<typeof PublicAddress>;

/** https://learn.microsoft.com/azure/load-balancer/howto-load-balancer-imds */
export const LoadBalancerDocument = z.object({
  loadbalancer: z.object({ publicIpAddresses: z.optional(z.array(PublicAddress)) }),
});

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
  network: z.object({
    interface: z.array(z.object({ ipv4: addresses, ipv6: addresses, macAddress: z.optional(z.string()) })),
  }),
});
export type InstanceDocument = z.infer<typeof InstanceDocument>;

const PublicAddress = z.object({ frontendIpAddress: z.string(), privateIpAddress: z.string() });
export type PublicAddress = z.infer<typeof PublicAddress>;

/** https://learn.microsoft.com/azure/load-balancer/howto-load-balancer-imds */
export const LoadBalancerDocument = z.object({
  loadbalancer: z.object({ publicIpAddresses: z.optional(z.array(PublicAddress)) }),
});

/** https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/common-deployment-errors */
export const ResourceManagerError = z.object({
  error: z.object({ code: z.string(), message: z.optional(z.string()) }),
});
export type ResourceManagerError = z.infer<typeof ResourceManagerError>;

const InstanceView = z.object({
  platformFaultDomain: z.optional(z.number()),
  statuses: z.optional(z.array(z.object({ code: z.string() }))),
});

const Reference = z.object({ id: z.string(), properties: z.optional(z.object({ primary: z.optional(z.boolean()) })) });

/**
 * A virtual machine, or one of a scale set, with its instance view.
 * https://learn.microsoft.com/rest/api/compute/virtual-machines/get and .../virtual-machine-scale-set-vms/get
 */
export const VirtualMachine = z.object({
  id: z.string(),
  location: z.string(),
  zones: z.optional(z.array(z.string())),
  sku: z.optional(z.object({ name: z.optional(z.string()) })),
  properties: z.object({
    vmId: z.string(),
    provisioningState: z.optional(z.string()),
    hardwareProfile: z.optional(z.object({ vmSize: z.optional(z.string()) })),
    networkProfile: z.optional(z.object({ networkInterfaces: z.optional(z.array(Reference)) })),
    instanceView: z.optional(InstanceView),
  }),
});
export type VirtualMachine = z.infer<typeof VirtualMachine>;

/** https://learn.microsoft.com/rest/api/virtualnetwork/network-interfaces/get, with its public addresses expanded */
export const NetworkInterfaceResource = z.object({
  id: z.string(),
  properties: z.object({
    primary: z.optional(z.boolean()),
    ipConfigurations: z.array(
      z.object({
        properties: z.object({
          primary: z.optional(z.boolean()),
          privateIPAddress: z.optional(z.string()),
          publicIPAddress: z.optional(
            z.object({ id: z.string(), properties: z.optional(z.object({ ipAddress: z.optional(z.string()) })) }),
          ),
        }),
      }),
    ),
  }),
});
export type NetworkInterfaceResource = z.infer<typeof NetworkInterfaceResource>;

/** https://learn.microsoft.com/rest/api/virtualnetwork/public-ip-addresses/get */
export const PublicIpResource = z.object({
  id: z.string(),
  properties: z.object({ ipAddress: z.optional(z.string()) }),
});

/** https://learn.microsoft.com/rest/api/resources/subscriptions/get */
export const SubscriptionResource = z.object({ subscriptionId: z.string() });

/** https://learn.microsoft.com/azure/azure-resource-manager/management/request-limits-and-throttling and each list */
export const ResourcePage = z.object({ value: z.array(z.unknown()), nextLink: z.nullish(z.string()) });
export type ResourcePage = z.infer<typeof ResourcePage>;

/** Of any list. */
export const ListedResource = z.object({ id: z.string() });
export type ListedResource = z.infer<typeof ListedResource>;

/** What a list of all machines with `statusOnly` adds to the same list without. */
export const MachineStatus = z.object({
  id: z.string(),
  properties: z.object({ instanceView: z.optional(InstanceView) }),
});
export type MachineStatus = z.infer<typeof MachineStatus>;

/** Of a list: what shows which Node a machine is. */
export const NamedMachine = z.object({
  id: z.string(),
  properties: z.object({ osProfile: z.optional(z.object({ computerName: z.optional(z.string()) })) }),
});
export type NamedMachine = z.infer<typeof NamedMachine>;

/** https://learn.microsoft.com/rest/api/compute/virtual-machine-scale-sets/list-all */
export const NamedScaleSet = z.object({
  id: z.string(),
  properties: z.object({
    orchestrationMode: z.optional(z.string()),
    virtualMachineProfile: z.optional(
      z.object({ osProfile: z.optional(z.object({ computerNamePrefix: z.optional(z.string()) })) }),
    ),
  }),
});
export type NamedScaleSet = z.infer<typeof NamedScaleSet>;

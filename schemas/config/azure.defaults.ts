export const azureDefaults = {
  clientIdAnnotations: ['kubernetes.azure.com/acr-client-id', 'azure.workload.identity/client-id'],
  tenantIdAnnotations: ['kubernetes.azure.com/acr-tenant-id', 'azure.workload.identity/tenant-id'],
  registrySuffixes: [] as string[],
  /** The same in every Azure. */
  registryAudience: 'https://containerregistry.azure.net',
  scopes: [] as { name: string; subscriptionId: string; resourceGroups?: string[]; nodeIdentity?: string }[],
};

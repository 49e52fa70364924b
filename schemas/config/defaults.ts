/**
 * What holds when the configuration says nothing. Apart from the schema, so that a program without a configuration file
 * need not load one.
 */
export const defaultRoleAnnotations = ['eks.amazonaws.com/ecr-role-arn', 'eks.amazonaws.com/role-arn'];

export const defaultNodeIpFamilies: ('ipv4' | 'ipv6')[] = ['ipv4'];

export const defaultGcp = {
  serviceAccountAnnotations: ['iam.gke.io/gcp-service-account', 'cloud.google.com/service-account-email'],
  providerAnnotations: ['cloud.google.com/workload-identity-provider'],
  scopes: ['https://www.googleapis.com/auth/cloud-platform'],
  universeDomain: 'googleapis.com',
  registryDomain: 'pkg.dev',
  endpoints: {},
};

/** The audience is the same in every cloud of Azure's. */
export const defaultAzure = {
  clientIdAnnotations: ['kubernetes.azure.com/acr-client-id', 'azure.workload.identity/client-id'],
  tenantIdAnnotations: ['kubernetes.azure.com/acr-tenant-id', 'azure.workload.identity/tenant-id'],
  registrySuffixes: [] as string[],
  registryAudience: 'https://containerregistry.azure.net',
};

export const defaultConfig = {
  registries: [],
  dockerConfigFiles: [],
  deletion: {},
  aws: { roleAnnotations: defaultRoleAnnotations, scopes: [], nodeIpFamilies: defaultNodeIpFamilies },
  gcp: defaultGcp,
  azure: defaultAzure,
  static: {},
};

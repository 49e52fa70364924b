/** Google's own universe. Its partners run others. */
export const ownUniverse = 'googleapis.com';
export const ownRegistryDomain = 'pkg.dev';

export const gcpDefaults = {
  serviceAccountAnnotations: ['iam.gke.io/gcp-service-account', 'cloud.google.com/service-account-email'],
  providerAnnotations: ['cloud.google.com/workload-identity-provider'],
  scopes: ['https://www.googleapis.com/auth/cloud-platform'],
  projects: [],
  universeDomain: ownUniverse,
  registryDomain: ownRegistryDomain,
  endpoints: {},
};

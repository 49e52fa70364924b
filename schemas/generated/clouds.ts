// Generated from clouds/<name>/traits.ts by `npm run generate`.
/** Clouds that issue tokens which tell others which node this is. */
export const federationClouds = ['aws', 'azure', 'gcp'] as const;

/** Files below the home directory that choose an identity. */
export const cloudHomeFiles: readonly string[] = [
  '.aws/config',
  '.aws/credentials',
  '.config/gcloud/application_default_credentials.json',
  '.config/openstack/clouds.yaml',
];

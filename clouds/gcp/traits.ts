import type { CloudTraits } from '../cloud.ts';

export const traits: CloudTraits = {
  name: 'gcp',
  aliases: ['gce'],
  capabilities: ['registry', 'identity', 'metadata', 'instances', 'notices'],
  providerId: {
    pattern: /^gce:\/\//,
    examples: ['gce://project/us-central1-a/node', 'gce://example.com:project/us-central1-a/node'],
  },
  registryHosts: /(?:^|\.)gcr\.io$|\.pkg\.dev$/,
  hostInputs: {
    variablePrefixes: ['CLOUDSDK_', 'GCE_', 'GCLOUD_', 'GOOGLE_', 'KUBE_SIDECAR_', 'METADATA_', 'NO_GCE_'],
    homeFiles: ['.config/gcloud/application_default_credentials.json'],
  },
  labelPrefixes: [],
  lookAlikeHosts: [/gcr\.|gcr-?io|pkg[.-]?(?:dev|app|evil)|-docker\.|\.rep\.|goog/],
  vendorConfigs: [
    {
      whose: 'the Google cloud provider (INI)',
      looksLike:
        /^\s*(?:[;#].*\n\s*)*\[\s*global\s*\][^[]*\n[ \t]*(?:regional|multizone|api-endpoint|(?:token|project|network|subnetwork|stack|secondary-range|node|container-api|local|alpha)-[a-z-]+)[ \t]*(?:=|\r?\n|$)/i,
      replacedBy: 'gcp',
    },
  ],
};

import type { CloudTraits } from '../cloud.ts';

/** There is no registry, and no metadata service that an agent could ask. */
export const traits: CloudTraits = {
  name: 'vsphere',
  aliases: [],
  capabilities: ['instances'],
  providerId: { pattern: /^vsphere:\/\//, examples: ['vsphere://423e10c5-4a2b-7c1d-9a3e-1f2b3c4d5e6f'] },
  hostInputs: { variablePrefixes: [], homeFiles: [] },
  labelPrefixes: ['polycloud.dev/vsphere-'],
  lookAlikeHosts: [],
  vendorConfigs: [
    {
      whose: 'the vSphere cloud provider (YAML)',
      looksLike:
        /^(?:global|vcenter):[ \t]*(?:#.*)?\r?\n(?:[ \t]+.*\r?\n|[ \t]*\r?\n|#.*\r?\n|[a-z]+:.*\r?\n)*?[ \t]+(?:server|user|secretName|secretsDirectory|datacenters|insecureFlag|thumbprint):/m,
      replacedBy: 'vsphere',
    },
    {
      whose: 'the vSphere cloud provider (INI)',
      looksLike:
        /^\s*(?:[;#].*\n\s*)*\[\s*(?:virtualcenter\s+"|workspace\s*\]|global\s*\][^]*?\n[ \t]*(?:insecure-flag|secret-name|secret-namespace|secrets-directory|datacenters|server|soap-roundtrip-count|thumbprint)[ \t]*=)/i,
      replacedBy: 'vsphere',
    },
  ],
};

import type { CloudTraits } from '../cloud.ts';

/** No `registryHosts`: the configuration names the registries. */
export const traits: CloudTraits = {
  name: 'static',
  aliases: [],
  capabilities: ['registry', 'metadata', 'instances'],
  providerId: { pattern: /^static:\/\//, examples: ['static://metal-1'] },
  hostInputs: { variablePrefixes: [], homeFiles: [] },
  labelPrefixes: [],
  lookAlikeHosts: [],
  vendorConfigs: [],
};

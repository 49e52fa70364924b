import type { CloudTraits } from '../../clouds/cloud.ts';

/** Traits of a cloud of which only the name matters. */
export function bareTraits(name: string): CloudTraits {
  return {
    name,
    aliases: [],
    capabilities: [],
    providerId: { pattern: /(?!)/, examples: [] },
    hostInputs: { variablePrefixes: [], homeFiles: [] },
    labelPrefixes: [],
    lookAlikeHosts: [],
    vendorConfigs: [],
  };
}

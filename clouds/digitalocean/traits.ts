import type { CloudTraits } from '../cloud.ts';

export const traits: CloudTraits = {
  name: 'digitalocean',
  aliases: [],
  capabilities: ['registry', 'metadata', 'instances'],
  providerId: { pattern: /^digitalocean:\/\//, examples: ['digitalocean://3164444'] },
  registryHosts: /^registry\.digitalocean\.com$/,
  hostInputs: { variablePrefixes: ['DIGITALOCEAN_ACCESS_TOKEN', 'DO_ACCESS_TOKEN'], homeFiles: [] },
  labelPrefixes: [],
  lookAlikeHosts: [/digital[.-]?[o0]cean/],
  vendorConfigs: [],
};

import type { CloudTraits } from '../cloud.ts';

export const traits: CloudTraits = {
  name: 'aws',
  aliases: [],
  capabilities: ['registry', 'identity', 'metadata', 'instances'],
  providerId: {
    pattern: /^aws:\/\/\/(?:[a-z0-9-]{0,64}\/)?i-[\w-]{1,64}$|^i-[0-9a-f]{8,17}$/,
    examples: ['aws:///us-west-2a/i-0123456789abcdef0', 'aws:////i-0123456789abcdef0', 'i-0123456789abcdef0'],
  },
  registryHosts: /^\d{12}\.dkr[.-]|^public\.ecr\.aws$|^ecr-public\.aws\.com$/,
  hostInputs: { variablePrefixes: ['AWS_'], homeFiles: ['.aws/config', '.aws/credentials'] },
  labelPrefixes: ['topology.k8s.aws/'],
  lookAlikeHosts: [
    /dkr|amaz[o0]n|(?:^|\.)aws\.|public[.-]?x?ecr|ecr-public/,
    /\.aws$|\.c2s\.ic\.gov$|\.sc2s\.sgov\.gov$|\.adc-e\.uk$|\.csp\.hci\.ic\.gov$/,
  ],
  vendorConfigs: [
    {
      whose: 'the AWS cloud provider (INI)',
      looksLike: /^\s*(?:[;#].*\n\s*)*\[\s*(?:global|serviceoverride[^\]]*)\s*\]/i,
      replacedBy: 'aws',
    },
  ],
};

import type { CloudTraits } from '../cloud.ts';

export const traits: CloudTraits = {
  name: 'aws',
  aliases: [],
  capabilities: ['registry', 'identity', 'metadata', 'instances', 'notices', 'routes'],
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
      // Not OpenStack's file, which has a region too, and keys with hyphens.
      looksLike:
        /^(?![^]*\n[ \t]*[a-z]+-[a-z-]+[ \t]*=)\s*(?:[;#].*\n\s*)*\[\s*(?:serviceoverride\b|global\s*\][^[]*\n[ \t]*(?:zone|region|vpc|subnetid|routetableid|rolearn|sourcearn|nodeipfamilies|(?:kubernetescluster|disable|elb|clusterservice|supportedtopology|nlb)\w+)[ \t]*=)/i,
      replacedBy: 'aws',
    },
  ],
};

import type { CloudTraits } from '../cloud.ts';

export const traits: CloudTraits = {
  name: 'openstack',
  aliases: [],
  capabilities: ['metadata', 'instances', 'routes'],
  providerId: {
    pattern: /^openstack:\/\//,
    examples: [
      'openstack:///fbb1fd83-4a4e-4ea1-88f9-4d2e2e8c3f7a',
      'openstack://RegionOne/fbb1fd83-4a4e-4ea1-88f9-4d2e2e8c3f7a',
    ],
  },
  hostInputs: { variablePrefixes: ['OS_'], homeFiles: ['.config/openstack/clouds.yaml'] },
  labelPrefixes: ['polycloud.dev/openstack-'],
  lookAlikeHosts: [],
  vendorConfigs: [
    {
      whose: 'the OpenStack cloud provider (INI)',
      // vSphere's file has the same sections, but other keys.
      looksLike:
        /(?:^|\n)[ \t]*\[[ \t]*global[ \t]*\][^[]*\n[ \t]*(?:auth-url|use-clouds|clouds-file|cloud|os-endpoint-type|application-credential-[a-z]+|(?:user-|tenant-)?domain-(?:id|name)|tenant-(?:id|name)|trust-id|tls-insecure)[ \t]*=/i,
      replacedBy: 'openstack',
    },
  ],
};

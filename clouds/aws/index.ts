import type { Cloud, CloudSettings } from '../cloud.ts';
import type { AwsConfig } from './config.ts';
import { createInstanceMetadata } from './metadata/index.ts';
import { createInstances } from './instances/index.ts';
import { matchRegistry } from './registry/hosts.ts';

export function createAws(settings: CloudSettings<AwsConfig>): Cloud {
  return {
    name: 'aws',
    registry: {
      kubeletHints: async () => (await import('./registry/kubelet-hints.ts')).kubeletHints(settings.config),
      match: (image) => matchRegistry(image, settings.env),
      logIn: async (registry, as, context) => {
        const { logIn } = await import('./registry/login.ts');
        return logIn(registry, as, settings, context);
      },
    },
    metadata: createInstanceMetadata(settings),
    identity: {
      issueToken: async (audience, select, context) => {
        const { issueToken: prove } = await import('./identity/issue-token.ts');
        return prove({ audience, select }, settings, context);
      },
    },
    instances: createInstances(settings),
  };
}

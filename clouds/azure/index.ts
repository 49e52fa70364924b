import type { Cloud, CloudSettings } from '../cloud.ts';
import type { AzureConfig } from './config.ts';
import { matchRegistry } from './registry/hosts.ts';

export function createAzure(settings: CloudSettings<AzureConfig>): Cloud {
  return {
    name: 'azure',
    registry: {
      kubeletHints: async () => (await import('./registry/kubelet-hints.ts')).kubeletHints(settings.config),
      match: (image) => matchRegistry(image, settings.config),
      logIn: async (registry, as, context) => {
        const { logIn } = await import('./registry/login.ts');
        return logIn(registry, as, settings, context);
      },
    },
    identity: {
      issueToken: async (audience, select, context) => {
        const { issueToken: prove } = await import('./identity/issue-token.ts');
        return prove(audience, { select, settings, context });
      },
    },
  };
}

import type { Cloud, CloudSettings } from '../cloud.ts';
import type { GcpConfig } from './config.ts';
import { createInstanceMetadata } from './metadata/index.ts';
import { matchRegistry } from './registry/hosts.ts';

export function createGcp(settings: CloudSettings<GcpConfig>): Cloud {
  return {
    name: 'gcp',
    registry: {
      kubeletHints: async () => (await import('./registry/kubelet-hints.ts')).kubeletHints(settings.config),
      match: (image) => matchRegistry(image, settings.config),
      logIn: async (_registry, as, context) => (await import('./registry/login.ts')).logIn(as, settings, context),
    },
    identity: {
      issueToken: async (audience, select, context) =>
        (await import('./identity/issue-token.ts')).issueToken(audience, select, settings, context),
    },
    metadata: createInstanceMetadata(settings),
  };
}

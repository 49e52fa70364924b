import type { Cloud, CloudSettings } from '../cloud.ts';
import type { GcpConfig } from './config.ts';
import { createInstanceMetadata } from './instance-metadata.ts';
import { matchRegistry } from './registry-hosts.ts';

export function createGcp(settings: CloudSettings<GcpConfig>): Cloud {
  return {
    name: 'gcp',
    registry: {
      kubeletHints: async () => (await import('./kubelet-hints.ts')).kubeletHints(settings.config),
      match: (image) => matchRegistry(image, settings.config),
      logIn: async (_registry, as, context) => (await import('./registry-login.ts')).logIn(as, settings, context),
    },
    identity: {
      prove: async (audience, select, context) =>
        (await import('./prove.ts')).prove(audience, select, settings, context),
    },
    metadata: createInstanceMetadata(settings),
  };
}

import type { Cloud, CloudSettings } from '../cloud.ts';
import type { AwsConfig } from './config.ts';
import { createInstances } from './instances.ts';
import { matchRegistry } from './registry-hosts.ts';

export function createAws(settings: CloudSettings<AwsConfig>): Cloud {
  return {
    name: 'aws',
    registry: {
      match: (image) => matchRegistry(image, settings.env),
      logIn: async (registry, as, context) => {
        const { logIn } = await import('./registry-login.ts');
        return logIn(registry, as, settings, context);
      },
    },
    instances: createInstances(settings),
  };
}

import type { Cloud, CloudSettings } from '../cloud.ts';
import type { DigitaloceanConfig } from '../../schemas/config/digitalocean.ts';
import { createInstances } from './instances/index.ts';
import { kubeletHints, matchRegistry } from './registry/hosts.ts';

export function createDigitalocean(settings: CloudSettings<DigitaloceanConfig>): Cloud {
  return {
    name: 'digitalocean',
    registry: {
      kubeletHints,
      match: (image) => matchRegistry(image, settings.config),
      logIn: async (registry, as, context) =>
        (await import('./registry/login.ts')).logIn(registry, as, settings, context),
    },
    metadata: {
      detect: async (context) => (await import('./metadata/detect.ts')).detect(settings.host, context),
      describe: async (_node, context) => (await import('./metadata/describe.ts')).describeInstance(context),
    },
    instances: createInstances(settings),
  };
}

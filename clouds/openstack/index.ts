import type { Cloud, CloudSettings } from '../cloud.ts';
import type { OpenstackConfig } from '../../schemas/config/openstack.ts';
import { createInstances } from './instances/index.ts';
import { createRoutes } from './routes/index.ts';

export function createOpenstack(settings: CloudSettings<OpenstackConfig>): Cloud {
  const routes = createRoutes(settings);
  return {
    name: 'openstack',
    instances: createInstances(settings),
    metadata: {
      detect: async (context) => (await import('./metadata/detect.ts')).detect(settings, context),
      describe: async (_node, context) => (await import('./metadata/describe.ts')).describeInstance(settings, context),
    },
    ...(routes && { routes }),
  };
}

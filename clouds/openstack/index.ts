import type { Cloud, CloudSettings } from '../cloud.ts';
import type { OpenstackConfig } from '../../schemas/config/openstack.ts';
import { createInstances } from './instances/index.ts';

export function createOpenstack(settings: CloudSettings<OpenstackConfig>): Cloud {
  return {
    name: 'openstack',
    instances: createInstances(settings),
    metadata: {
      detect: async (context) => (await import('./metadata/detect.ts')).detect(settings, context),
      describe: async (_node, context) => (await import('./metadata/describe.ts')).describeInstance(settings, context),
    },
  };
}

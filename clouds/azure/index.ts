import type { Cloud, CloudSettings } from '../cloud.ts';
import type { AzureConfig } from '../../schemas/config/azure.ts';
import { createInstances } from './instances/index.ts';
import { kubeletHints, matchRegistry } from './registry/hosts.ts';

export function createAzure(settings: CloudSettings<AzureConfig>): Cloud {
  return {
    name: 'azure',
    registry: {
      kubeletHints: () => kubeletHints(settings.config),
      match: (image) => matchRegistry(image, settings.config),
      logIn: async (registry, as, context) => {
        const { logIn } = await import('./registry/login.ts');
        return logIn(registry, as, settings, context);
      },
    },
    metadata: {
      detect: async (context) => (await import('./metadata/detect.ts')).detect(settings, context),
      describe: async (node, context) =>
        (await import('./metadata/describe.ts')).describeInstance(node, settings, context),
    },
    identity: {
      issueToken: async (audience, select, context) => {
        const { issueToken } = await import('./identity/issue-token.ts');
        return issueToken(audience, { select, settings, context });
      },
    },
    instances: createInstances(settings),
    notices: {
      poll: async (cursor, context) => (await import('./notices/poll.ts')).pollNotices(cursor, settings, context),
      acknowledge: async (notice, context) =>
        (await import('./notices/poll.ts')).acknowledge(notice, settings, context),
    },
  };
}

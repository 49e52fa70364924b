import type { Cloud, CloudSettings } from '../cloud.ts';
import type { AwsConfig } from '../../schemas/config/aws.ts';
import { createInstances } from './instances/index.ts';
import { createRoutes } from './routes/index.ts';
import { kubeletHints, matchRegistry } from './registry/hosts.ts';

export function createAws(settings: CloudSettings<AwsConfig>): Cloud {
  const routes = createRoutes(settings);
  return {
    name: 'aws',
    registry: {
      kubeletHints: () => kubeletHints(settings.config),
      match: (image) => matchRegistry(image, settings.env),
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
        return issueToken({ audience, select }, settings, context);
      },
    },
    instances: createInstances(settings),
    ...(routes && { routes }),
    notices: {
      poll: async (cursor, context) => (await import('./notices/poll.ts')).pollNotices(cursor, settings, context),
    },
  };
}

import type { Cloud, CloudSettings } from '../cloud.ts';
import type { GcpConfig } from '../../schemas/config/gcp.ts';
import { createInstances } from './instances/index.ts';
import { kubeletHints, matchRegistry } from './registry/hosts.ts';

export function createGcp(settings: CloudSettings<GcpConfig>): Cloud {
  return {
    name: 'gcp',
    registry: {
      kubeletHints: () => kubeletHints(settings.config),
      match: (image) => matchRegistry(image, settings.config),
      logIn: async (_registry, as, context) => (await import('./registry/login.ts')).logIn(as, settings, context),
    },
    identity: {
      issueToken: async (audience, select, context) =>
        (await import('./identity/issue-token.ts')).issueToken(audience, select, settings, context),
    },
    metadata: {
      detect: async (context) => (await import('./metadata/detect.ts')).detect(settings, context),
      describe: async (node, context) =>
        (await import('./metadata/describe.ts')).describeInstance(node, settings.env, context),
    },
    instances: createInstances(settings),
    notices: {
      poll: async (cursor, context) => (await import('./notices/poll.ts')).pollNotices(cursor, settings, context),
    },
  };
}

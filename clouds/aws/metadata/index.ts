import type { CloudSettings, InstanceMetadata } from '../../cloud.ts';
import type { AwsConfig } from '../config.ts';

/** The instance as it sees itself. What asks is imported when it is needed: whoever only logs in to registries never does. */
export function createInstanceMetadata(settings: CloudSettings<AwsConfig>): InstanceMetadata {
  const { config, env, host } = settings;
  return {
    detect: async (context) => (await import('./detect.ts')).detect({ env, host }, context),
    describe: async (node, context) => {
      const [{ describeInstance: describeSelf }, { familiesOf }, { toInstance: instanceOf }] = await Promise.all([
        import('./describe.ts'),
        import('../addresses.ts'),
        import('../instance.ts'),
      ]);
      const families = familiesOf(config.nodeIpFamilies, node);
      return instanceOf(await describeSelf(env, families, context), node, families);
    },
  };
}

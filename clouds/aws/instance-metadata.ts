import type { CloudSettings, InstanceMetadata } from '../cloud.ts';
import type { AwsConfig } from './config.ts';

/** The instance as it sees itself. What asks is imported when it is needed: whoever only logs in to registries never does. */
export function createInstanceMetadata(settings: CloudSettings<AwsConfig>): InstanceMetadata {
  const { config, env, host } = settings;
  return {
    isHere: async (context) => (await import('./is-here.ts')).isHere({ env, host }, context),
    describe: async (node, context) => {
      const [{ describeSelf }, { instanceOf }] = await Promise.all([
        import('./describe-self.ts'),
        import('./instance-of.ts'),
      ]);
      return instanceOf(await describeSelf(env, config.nodeIpFamilies, context), node, config.nodeIpFamilies);
    },
  };
}

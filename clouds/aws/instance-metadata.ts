import type { CloudSettings, InstanceMetadata } from '../cloud.ts';
import type { AwsConfig } from './config.ts';

/** The instance as it sees itself. What asks is imported when it is needed: whoever only logs in to registries never does. */
export function createInstanceMetadata(settings: CloudSettings<AwsConfig>): InstanceMetadata {
  const { config, env, host } = settings;
  return {
    isHere: async (context) => (await import('./is-here.ts')).isHere({ env, host }, context),
    describe: async (node, context) => {
      const [{ describeSelf }, { familiesOf }, { instanceOf }] = await Promise.all([
        import('./describe-self.ts'),
        import('./instance-addresses.ts'),
        import('./instance-of.ts'),
      ]);
      const families = familiesOf(config.nodeIpFamilies, node);
      return instanceOf(await describeSelf(env, families, context), node, families);
    },
  };
}

import type { CloudSettings, InstanceMetadata } from '../../cloud.ts';
import type { GcpConfig } from '../config.ts';

/** The instance as it sees itself. What asks is imported when it is needed: whoever only logs in to registries never does. */
export function createInstanceMetadata({ env, host }: CloudSettings<GcpConfig>): InstanceMetadata {
  return {
    detect: async (context) => (await import('./detect.ts')).detect({ env, host }, context),
    describe: async (_node, context) => (await import('./describe.ts')).describeInstance(env, context),
  };
}

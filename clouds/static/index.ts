import type { Cloud, CloudSettings } from '../cloud.ts';
import type { StaticConfig } from './config.ts';
import { createStaticRegistry } from './registry.ts';

/** Everything that is no cloud: registries whose logins an operator keeps on the node. */
export async function createStatic(settings: CloudSettings<StaticConfig>): Promise<Cloud> {
  return { name: 'static', registry: await createStaticRegistry(settings) };
}

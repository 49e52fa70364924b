import type { Cloud, CloudSettings } from '../cloud.ts';
import type { StaticConfig } from './config.ts';
import { createStaticInstances } from './instances/index.ts';
import { createStaticMetadata } from './metadata/index.ts';
import { createStaticRegistry } from './registry/index.ts';

/** Everything that is no cloud: registries whose logins an operator keeps on the node, machines of an inventory. */
export async function createStatic(settings: CloudSettings<StaticConfig>): Promise<Cloud> {
  const { inventoryFile } = settings.config;
  return {
    name: 'static',
    registry: await createStaticRegistry(settings),
    ...(inventoryFile !== undefined && {
      metadata: createStaticMetadata(inventoryFile, settings.host),
      instances: createStaticInstances(inventoryFile, settings.host),
    }),
  };
}

import type { Config } from '../../schemas/config.ts';
import type { Cloud, CloudSettings } from '../cloud.ts';
import { createStaticInstances } from './instances/index.ts';
import { createStaticMetadata } from './metadata/index.ts';
import { createStaticRegistry } from './registry/index.ts';

/** The parts of the configuration that hold its logins and machines. */
type StaticSections = Pick<Config, 'registries' | 'dockerConfigFiles' | 'static'>;

/** What belongs to no cloud: registries whose logins the operator keeps on the node, and machines of an inventory. */
export async function createStatic({ config, host }: CloudSettings<StaticSections>): Promise<Cloud> {
  const { inventoryFile } = config.static;
  const logins = config.registries.flatMap(({ match, login }) => (login === undefined ? [] : [{ match, ...login }]));
  return {
    name: 'static',
    registry: await createStaticRegistry({ logins, dockerConfigFiles: config.dockerConfigFiles }, host),
    ...(inventoryFile !== undefined && {
      metadata: createStaticMetadata(inventoryFile, host),
      instances: createStaticInstances(inventoryFile, host),
    }),
  };
}

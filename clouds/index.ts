import type { Config } from '../schemas/config.ts';
import { keys } from '../schemas/keys.ts';
import type { Cloud, CloudSettings } from './cloud.ts';

export type {
  Cloud,
  Context,
  Finding,
  Identity,
  ImageRegistry,
  Instance,
  Instances,
  NodeFacts,
  NodeUid,
  Registry,
  Scope,
} from './cloud.ts';

/** What every cloud gets, whatever its part of the configuration. */
export type World = Omit<CloudSettings<unknown>, 'config'>;

export interface CloudEntry {
  readonly name: string;
  /** Imports the cloud's code only now: a program that serves one image loads one cloud. */
  load(world: World, config: Config): Promise<Cloud>;
}

export type Capability = Exclude<keyof Cloud, 'name'>;

interface ListedCloud extends CloudEntry {
  /** What the cloud offers with a complete configuration. The chart's values and what programs call supported follow from it. */
  readonly capabilities: readonly Capability[];
}

/** One line a cloud, asked in this order; `static` is last, since a stored login is for what no cloud serves. */
export const clouds: readonly ListedCloud[] = [
  {
    name: 'aws',
    capabilities: ['registry', 'identity', 'metadata', 'instances'],
    load: async (world, { aws }) =>
      (await import('./aws/index.ts')).createAws({ ...world, config: { ...aws, externalIdKey: keys.awsExternalId } }),
  },
  {
    name: 'gcp',
    capabilities: ['registry', 'identity', 'metadata'],
    load: async (world, { gcp }) => (await import('./gcp/index.ts')).createGcp({ ...world, config: gcp }),
  },
  {
    name: 'azure',
    capabilities: ['registry', 'identity'],
    load: async (world, { azure }) => (await import('./azure/index.ts')).createAzure({ ...world, config: azure }),
  },
  {
    name: 'static',
    capabilities: ['registry', 'metadata', 'instances'],
    load: async (world, config) =>
      (await import('./static/index.ts')).createStatic({ ...world, config: staticPart(config) }),
  },
];

/** Names of the clouds that offer it. */
export function cloudsWith(capability: Capability): readonly string[] {
  return clouds.flatMap(({ name, capabilities }) => (capabilities.includes(capability) ? [name] : []));
}

function staticPart({ registries, dockerConfigFiles, static: { inventoryFile } }: Config) {
  const logins = registries.flatMap(({ match, login }) => (login === undefined ? [] : [{ match, ...login }]));
  return { logins, dockerConfigFiles, inventoryFile };
}

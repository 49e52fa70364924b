import type { Config } from '../schemas/config.ts';
import { keys } from '../schemas/keys.ts';
import type { Capability, CloudEntry, CloudTraits } from './cloud.ts';

export type {
  Cloud,
  CloudEntry,
  CloudRuntime,
  Identity,
  ImageRegistry,
  Instance,
  Instances,
  KubeletHints,
  Login,
  LookupResult,
  NodeFacts,
  NodeUid,
  Scope,
} from './cloud.ts';

/** One line a cloud, asked in this order; `static` is last, since a stored login is for what no cloud serves. */
export const clouds: readonly (CloudEntry & Pick<CloudTraits, 'capabilities'>)[] = [
  {
    name: 'aws',
    capabilities: ['registry', 'identity', 'metadata', 'instances'],
    load: async (runtime, { aws }) =>
      (await import('./aws/index.ts')).createAws({ ...runtime, config: { ...aws, externalIdKey: keys.awsExternalId } }),
  },
  {
    name: 'gcp',
    capabilities: ['registry', 'identity', 'metadata'],
    load: async (runtime, { gcp }) => (await import('./gcp/index.ts')).createGcp({ ...runtime, config: gcp }),
  },
  {
    name: 'azure',
    capabilities: ['registry', 'identity'],
    load: async (runtime, { azure }) => (await import('./azure/index.ts')).createAzure({ ...runtime, config: azure }),
  },
  {
    name: 'static',
    capabilities: ['registry', 'metadata', 'instances'],
    load: async (runtime, config) =>
      (await import('./static/index.ts')).createStatic({ ...runtime, config: staticConfig(config) }),
  },
];

/** Names of the clouds that offer it. */
export function cloudsWith(capability: Capability): readonly string[] {
  return clouds.flatMap(({ name, capabilities }) => (capabilities.includes(capability) ? [name] : []));
}

function staticConfig({ registries, dockerConfigFiles, static: { inventoryFile } }: Config) {
  const logins = registries.flatMap(({ match, login }) => (login === undefined ? [] : [{ match, ...login }]));
  return { logins, dockerConfigFiles, inventoryFile };
}

import type { Config, RegistryEntry } from '../../schemas/config.ts';
import { Failure } from '../failure.ts';
import { parseImageReference } from '../image-reference.ts';
import type { ImageReference } from '../image-reference.ts';
import { covers, parseRegistryPath } from '../registry-path.ts';
import type { CloudEntry, CloudRuntime, ImageRegistry, Registry } from '../../clouds/cloud.ts';

/** The service that gives the login for an image, and the identity of the node that it is asked with. */
export interface ResolvedRegistry {
  /** The cloud's name. */
  readonly cloud: string;
  readonly service: ImageRegistry;
  /** As the cloud knows it. */
  readonly registry: Registry;
  readonly node: NodeIdentityConfig;
  /** The key of the login in the response; for a mirror it is the mirror's own name. */
  readonly authKey: string;
  readonly servesWholeHost: boolean;
}

/** What the configuration sets for the node's identity; it does not apply to pods. */
export type NodeIdentityConfig = Pick<RegistryEntry, 'nodeIdentity' | 'role' | 'federation'>;

/** The clouds that can be asked here, and what they are loaded with. */
export interface AvailableClouds {
  readonly clouds: readonly CloudEntry[];
  readonly runtime: CloudRuntime;
}

/** The registry entries of the configuration take precedence over the host tables. `undefined`: no registry that we serve. */
export async function resolveRegistry(
  image: ImageReference,
  config: Config,
  { clouds, runtime }: AvailableClouds,
): Promise<ResolvedRegistry | undefined> {
  const { registries } = config;
  const entry = longestMatch(image, registries);
  const matched = await matchClouds(targetOf(entry, image), config, { clouds: cloudsFor(entry, clouds), runtime });
  if (matched === undefined) {
    if (entry === undefined) return undefined;
    throw unknownTarget(entry);
  }
  const { nodeIdentity, role, federation } = entry ?? {};
  return {
    ...matched,
    node: { nodeIdentity, role, federation },
    authKey: entry === undefined ? matched.registry.authKey : authKeyOf(image, entry),
    servesWholeHost: matched.registry.servesWholeHost && !hasPaths(image, registries),
  };
}

function longestMatch(image: ImageReference, entries: readonly RegistryEntry[]): RegistryEntry | undefined {
  const matching = entries.filter(({ match }) => covers(parseRegistryPath(match), image));
  return matching.toSorted((a, b) => b.match.length - a.match.length)[0];
}

/** The image under the name of the registry that it needs a login for. */
function targetOf(entry: RegistryEntry | undefined, image: ImageReference): ImageReference {
  if (entry?.as === undefined) return image;
  const target = parseImageReference(`${entry.as}/${image.repository}`);
  if (target === undefined) throw unknownTarget(entry);
  return target;
}

/** It serves the logins that are stored in files. */
const staticCloud = 'static';

function cloudsFor(entry: RegistryEntry | undefined, clouds: AvailableClouds['clouds']): AvailableClouds['clouds'] {
  return entry?.login === undefined ? clouds : clouds.filter(({ name }) => name === staticCloud);
}

function authKeyOf(image: ImageReference, { match }: RegistryEntry): string {
  const { path } = parseRegistryPath(match);
  return path === '' ? image.registry : `${image.registry}/${path}`;
}

/** The kubelet must not use one login for a whole host when another login serves a part of it. */
function hasPaths(image: ImageReference, entries: readonly RegistryEntry[]): boolean {
  return entries.some(({ match }) => {
    const { registry, path } = parseRegistryPath(match);
    return registry === image.registry && path !== '';
  });
}

type RegistryMatch = Pick<ResolvedRegistry, 'cloud' | 'service' | 'registry'>;

/**
 * In order and one at a time: a cloud is loaded only when no cloud before it matches the host. Clouds whose `registryHosts`
 * include the host come first. The others may still match it by their configuration.
 */
async function matchClouds(
  image: ImageReference,
  config: Config,
  { clouds, runtime }: AvailableClouds,
): Promise<RegistryMatch | undefined> {
  const expected = clouds.filter(({ registryHosts }) => registryHosts?.test(image.host));
  for (const entry of new Set([...expected, ...clouds])) {
    const { registry: service } = await entry.load(runtime, config);
    const registry = service?.match(image);
    if (service !== undefined && registry !== undefined) return { cloud: entry.name, service, registry };
  }
  return undefined;
}

function unknownTarget({ match, as }: RegistryEntry): Failure {
  const target = as ?? 'its own host';
  return new Failure('misconfigured', `the configuration sends ${match} to ${target}, which is not a known registry`, {
    remedy: 'set `as` to the registry of a cloud, or give the entry a `login`',
  });
}

import type { Config, RegistryEntry } from '../../schemas/config.ts';
import type { Environment } from '../environment.ts';
import { Failure } from '../failure.ts';
import type { Host } from '../host.ts';
import { parseImageReference } from '../image-reference.ts';
import type { ImageReference } from '../image-reference.ts';
import { covers, parseRegistryPath } from '../registry-path.ts';
import type { NodeIdentity } from './node-identity.ts';
import type { ImageRegistry, Registry } from './registry.ts';

/** Who gives the login for an image, and as which of the node's identities it is asked for. */
export interface ResolvedRegistry {
  /** Its name. */
  readonly cloud: string;
  readonly service: ImageRegistry;
  /** As the cloud knows it. */
  readonly registry: Registry;
  /** Who the node is to be there, where the configuration says so. */
  readonly node: NodeIdentityConfig;
  /** What the login is answered for: of a mirror it is the mirror's own name. */
  readonly authKey: string;
  readonly servesWholeHost: boolean;
}

/** The configuration's part of a node's identity; a pod's has none of it. */
export type NodeIdentityConfig = Pick<RegistryEntry, 'nodeIdentity' | 'role' | 'federation'>;

export interface ConfiguredClouds {
  readonly clouds: readonly RegistryCloud[];
  readonly runtime: RegistryRuntime;
  readonly config: Config;
}

/** A cloud as far as logins go. */
export interface RegistryCloud {
  readonly name: string;
  load(
    runtime: RegistryRuntime,
    config: Config,
  ): Promise<{ readonly registry?: ImageRegistry; readonly identity?: NodeIdentity }>;
}

export interface RegistryRuntime {
  readonly env: Environment;
  readonly host: Host;
}

/** `undefined`: nobody's. What the configuration says of an image goes before the host tables. */
export async function resolveRegistry(
  image: ImageReference,
  configuredClouds: ConfiguredClouds,
): Promise<ResolvedRegistry | undefined> {
  const { registries } = configuredClouds.config;
  const entry = longestMatch(image, registries);
  const matched = await matchClouds(targetOf(entry, image), cloudsFor(entry, configuredClouds), configuredClouds);
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

/** The image by the name of the registry it really needs a login for. */
function targetOf(entry: RegistryEntry | undefined, image: ImageReference): ImageReference {
  if (entry?.as === undefined) return image;
  const target = parseImageReference(`${entry.as}/${image.repository}`);
  if (target === undefined) throw unknownTarget(entry);
  return target;
}

/** The cloud that is none: it holds the logins of the configuration. */
const staticCloud = 'static';

function cloudsFor(entry: RegistryEntry | undefined, { clouds }: ConfiguredClouds): readonly RegistryCloud[] {
  return entry?.login === undefined ? clouds : clouds.filter(({ name }) => name === staticCloud);
}

function authKeyOf(image: ImageReference, { match }: RegistryEntry): string {
  const { path } = parseRegistryPath(match);
  return path === '' ? image.registry : `${image.registry}/${path}`;
}

/** The kubelet must not keep one login for a whole host of which a part is served by another. */
function hasPaths(image: ImageReference, entries: readonly RegistryEntry[]): boolean {
  return entries.some(({ match }) => {
    const { registry, path } = parseRegistryPath(match);
    return registry === image.registry && path !== '';
  });
}

type RegistryMatch = Pick<ResolvedRegistry, 'cloud' | 'service' | 'registry'>;

/** In order and one at a time: the next one is not even loaded when this one knows the host. */
async function matchClouds(
  image: ImageReference,
  clouds: readonly RegistryCloud[],
  { runtime, config }: ConfiguredClouds,
): Promise<RegistryMatch | undefined> {
  for (const entry of clouds) {
    const { registry: service } = await entry.load(runtime, config);
    const registry = service?.match(image);
    if (service !== undefined && registry !== undefined) return { cloud: entry.name, service, registry };
  }
  return undefined;
}

function unknownTarget({ match, as }: RegistryEntry): Failure {
  const target = as ?? 'its own host';
  return new Failure('misconfigured', `the configuration sends ${match} to ${target}, which is no registry we know`, {
    remedy: 'let `as` name a registry of a cloud, or give the entry a `login`',
  });
}

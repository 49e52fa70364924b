import type { Cloud, CloudEntry, ImageRegistry, Registry, World } from '../clouds/index.ts';
import { Failure } from '../lib/failure.ts';
import { parseImageReference } from '../lib/image-reference.ts';
import type { ImageReference } from '../lib/image-reference.ts';
import { covers, parseRegistryPath } from '../lib/registry-path.ts';
import type { Config, RegistryEntry } from '../schemas/config.ts';

/** Who gives the login for an image, and as which of the node's identities it is asked for. */
export interface Found {
  readonly service: ImageRegistry;
  /** As the cloud knows it. */
  readonly registry: Registry;
  readonly select?: string;
  /** What the login is answered for: of a mirror it is the mirror's own name. */
  readonly authKey: string;
  readonly servesWholeHost: boolean;
}

export interface Catalogue {
  readonly clouds: readonly CloudEntry[];
  readonly world: World;
  readonly config: Config;
}

/** `undefined`: nobody's. What the configuration says of an image goes before the host tables. */
export async function findRegistry(image: ImageReference, catalogue: Catalogue): Promise<Found | undefined> {
  const { registries } = catalogue.config;
  const entry = longestMatch(image, registries);
  const offer = await askClouds(targetOf(entry, image), cloudsFor(entry, catalogue), catalogue);
  if (offer === undefined) {
    if (entry === undefined) return undefined;
    throw unserved(entry);
  }
  const { nodeIdentity: select } = entry ?? {};
  return {
    ...offer,
    ...(select !== undefined && { select }),
    authKey: entry === undefined ? offer.registry.authKey : keyOf(image, entry),
    servesWholeHost: offer.registry.servesWholeHost && !hasPaths(image, registries),
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
  if (target === undefined) throw unserved(entry);
  return target;
}

/** The cloud that is none: it holds the logins of the configuration. */
const storedLogins = 'static';

function cloudsFor(entry: RegistryEntry | undefined, { clouds }: Catalogue): readonly CloudEntry[] {
  return entry?.login === undefined ? clouds : clouds.filter(({ name }) => name === storedLogins);
}

function keyOf(image: ImageReference, { match }: RegistryEntry): string {
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

type Offer = Pick<Found, 'service' | 'registry'>;

/** In order and one at a time: the next one is not even loaded when this one knows the host. */
async function askClouds(
  image: ImageReference,
  clouds: readonly CloudEntry[],
  { world, config }: Catalogue,
): Promise<Offer | undefined> {
  for (const entry of clouds) {
    const { registry: service }: Cloud = await entry.load(world, config);
    const registry = service?.match(image);
    if (service !== undefined && registry !== undefined) return { service, registry };
  }
  return undefined;
}

function unserved({ match, as }: RegistryEntry): Failure {
  const target = as ?? 'its own host';
  return new Failure('misconfigured', `the configuration sends ${match} to ${target}, which is no registry we know`, {
    remedy: 'let `as` name a registry of a cloud, or give the entry a `login`',
  });
}

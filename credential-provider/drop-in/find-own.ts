import { findRegistry } from '../../lib/image-login/find-registry.ts';
import type { Catalogue, Found } from '../../lib/image-login/find-registry.ts';
import type { ImageReference } from '../../lib/image-reference.ts';
import { covers, parseRegistryPath } from '../../lib/registry-path.ts';
import { resemblesRegistry } from './look-alike.ts';

/** Stored logins are the configuration's, whoever is asked for. */
export const storedLogins = 'static';

/**
 * The program in whose place we are knows the registries of one cloud. What our configuration names is served besides, by
 * whatever cloud; another cloud's registry has an entry of its own in the kubelet's file, which is asked next.
 */
export async function findOwn(cloud: string, image: ImageReference, catalogue: Catalogue): Promise<Found | undefined> {
  const { config, clouds } = catalogue;
  const isConfigured = config.registries.some(({ match }) => covers(parseRegistryPath(match), image));
  if (isConfigured) return findRegistry(image, catalogue);
  return findRegistry(image, {
    ...catalogue,
    clouds: clouds.filter(({ name }) => [cloud, storedLogins].includes(name)),
  });
}

/**
 * Is this the mirror of a registry, under a name of its own? The kubelet's matchImages let it in, so it gets the login of
 * what it stands for. Neither another cloud's registry nor what wants to be taken for one is a mirror.
 */
export async function isMirror(image: ImageReference, catalogue: Catalogue): Promise<boolean> {
  return !resemblesRegistry(image.host) && (await findRegistry(image, catalogue)) === undefined;
}

export function findAs(as: string, image: ImageReference, catalogue: Catalogue): Promise<Found | undefined> {
  const registries = [{ match: image.registry, as }];
  return findRegistry(image, { ...catalogue, config: { ...catalogue.config, registries } });
}

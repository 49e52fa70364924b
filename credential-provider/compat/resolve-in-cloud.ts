import { resolveRegistry } from '../../lib/registry-login/resolve-registry.ts';
import type { ConfiguredClouds, ResolvedRegistry } from '../../lib/registry-login/resolve-registry.ts';
import type { ImageReference } from '../../lib/image-reference.ts';
import { covers, parseRegistryPath } from '../../lib/registry-path.ts';
import { resemblesRegistry } from './look-alike.ts';

/** Stored logins are the configuration's, whoever is asked for. */
export const staticCloud = 'static';

/**
 * The program in whose place we are knows the registries of one cloud. What our configuration names is served besides, by
 * whatever cloud; another cloud's registry has an entry of its own in the kubelet's file, which is asked next.
 */
export async function resolveInCloud(
  cloud: string,
  image: ImageReference,
  configuredClouds: ConfiguredClouds,
): Promise<ResolvedRegistry | undefined> {
  const { config, clouds } = configuredClouds;
  const isConfigured = config.registries.some(({ match }) => covers(parseRegistryPath(match), image));
  if (isConfigured) return resolveRegistry(image, configuredClouds);
  return resolveRegistry(image, {
    ...configuredClouds,
    clouds: clouds.filter(({ name }) => [cloud, staticCloud].includes(name)),
  });
}

/**
 * Is this the mirror of a registry, under a name of its own? The kubelet's matchImages let it in, so it gets the login of
 * what it stands for. Neither another cloud's registry nor what wants to be taken for one is a mirror.
 */
export async function isMirror(image: ImageReference, configuredClouds: ConfiguredClouds): Promise<boolean> {
  return !resemblesRegistry(image.host) && (await resolveRegistry(image, configuredClouds)) === undefined;
}

export function resolveByTarget(
  target: string,
  image: ImageReference,
  configuredClouds: ConfiguredClouds,
): Promise<ResolvedRegistry | undefined> {
  const registries = [{ match: image.registry, as: target }];
  return resolveRegistry(image, { ...configuredClouds, config: { ...configuredClouds.config, registries } });
}

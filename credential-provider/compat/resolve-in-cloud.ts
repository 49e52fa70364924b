import { resolveRegistry } from '../../lib/registry-login/resolve-registry.ts';
import type { AvailableClouds, ResolvedRegistry } from '../../lib/registry-login/resolve-registry.ts';
import type { ImageReference } from '../../lib/image-reference.ts';
import { covers, parseRegistryPath } from '../../lib/registry-path.ts';
import type { Config } from '../../schemas/config.ts';

/** It serves the stored logins of the configuration, whichever provider is emulated. */
export const staticCloud = 'static';

/**
 * The emulated provider knows the registries of one cloud. Registries in our configuration are served too, by any cloud.
 * Another cloud's registry has its own entry in the kubelet's file, and the kubelet calls that provider next.
 */
export async function resolveInCloud(
  cloud: string,
  image: ImageReference,
  config: Config,
  available: AvailableClouds,
): Promise<ResolvedRegistry | undefined> {
  const isConfigured = config.registries.some(({ match }) => covers(parseRegistryPath(match), image));
  if (isConfigured) return resolveRegistry(image, config, available);
  const clouds = available.clouds.filter(({ name }) => [cloud, staticCloud].includes(name));
  return resolveRegistry(image, config, { ...available, clouds });
}

/**
 * Is this a mirror under a custom name? The kubelet's matchImages include it, so it gets the login of the registry that it
 * mirrors. A registry of another cloud is not a mirror, and neither is a host that looks like a registry.
 */
export async function isMirror(image: ImageReference, config: Config, available: AvailableClouds): Promise<boolean> {
  if (resemblesRegistry(image.host, available.clouds)) return false;
  return (await resolveRegistry(image, config, available)) === undefined;
}

/** A name in another alphabet; addresses that never leave the machine or belong to a metadata service, in any notation. */
const neverRegistry =
  /(?:^|\.)xn--|^169\.254\.|^127\.|^localhost$|^168\.63\.129\.16$|^100\.100\.100\.200$|^0|\.0\d|\.internal$/;

/** Such a host never gets the login for another one. */
function resemblesRegistry(host: string, clouds: AvailableClouds['clouds']): boolean {
  return [neverRegistry, ...clouds.flatMap(({ lookAlikeHosts }) => lookAlikeHosts)].some((p) => p.test(host));
}

export function resolveByTarget(
  target: string,
  image: ImageReference,
  config: Config,
  available: AvailableClouds,
): Promise<ResolvedRegistry | undefined> {
  return resolveRegistry(image, { ...config, registries: [{ match: image.registry, as: target }] }, available);
}

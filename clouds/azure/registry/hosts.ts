import type { ImageReference } from '../../../lib/image-reference.ts';
import { azureClouds, publicAzure } from '../endpoints.ts';
import type { AzureCloud } from '../endpoints.ts';
import type { AzureConfig } from '../../../schemas/config/azure.ts';
import type { KubeletHints, Registry } from '../../cloud.ts';

/**
 * The registry's name, which may end in a hyphen and a hash, and for one of its regions that region; what follows must
 * be one of the suffixes, whole. Data endpoints (`….data.azurecr.io`) serve layers and give no login, so they are not matched.
 * https://learn.microsoft.com/azure/container-registry/container-registry-endpoints-reference
 */
const beforeSuffix = /^(?<name>[a-z0-9]{1,63}(?:-[a-z0-9]{1,61})?)(?:\.(?<region>[a-z0-9]{1,63})\.geo)?$/;

/** Whose login an image needs; the registry itself gives it, at the usual port, whatever port the image names. */
export function matchRegistry(image: ImageReference, config: AzureConfig): Registry | undefined {
  const parts = partsOf(image.host, config);
  if (parts === undefined) return undefined;
  return {
    kind: 'acr',
    authKey: image.registry,
    servesWholeHost: true,
    ...(parts.region !== undefined && { region: parts.region }),
    endpoint: new URL(`https://${image.host}`),
  };
}

/** The names by which one and the same registry may call itself: the host, and the one that has no region in it. */
export function registryNames(host: string, config: AzureConfig): readonly string[] {
  const parts = partsOf(host, config);
  return parts?.region === undefined ? [host] : [host, `${parts.name}.${parts.suffix}`];
}

/** Which Azure a registry is in; one of the configuration's own suffixes is in the public one until that says more. */
export function azureCloudOf(host: string, config: AzureConfig): AzureCloud {
  const suffix = partsOf(host, config)?.suffix;
  return azureClouds.find(({ registrySuffix }) => registrySuffix === suffix) ?? publicAzure;
}

interface HostParts {
  readonly name: string;
  readonly region: string | undefined;
  readonly suffix: string;
}

function partsOf(host: string, { registrySuffixes }: AzureConfig): HostParts | undefined {
  const suffixes = [...azureClouds.map(({ registrySuffix }) => registrySuffix), ...registrySuffixes];
  for (const suffix of suffixes) {
    const found = host.endsWith(`.${suffix}`)
      ? beforeSuffix.exec(host.slice(0, -suffix.length - 1))?.groups
      : undefined;
    if (found?.['name'] !== undefined) return { name: found['name'], region: found['region'], suffix };
  }
  return undefined;
}

/**
 * The hosts of a region have more parts than the others. An entry has one audience: that of the public Azure unless the
 * configuration names another one.
 */
export function kubeletHints(config: AzureConfig): KubeletHints {
  const { clientIdAnnotations, tenantIdAnnotations, registrySuffixes } = config;
  const suffixes = [...azureClouds.map(({ registrySuffix }) => registrySuffix), ...registrySuffixes];
  return {
    matchImages: suffixes.flatMap((suffix) => [`*.${suffix}`, `*.*.geo.${suffix}`]),
    pod: {
      audience: config.exchangeAudience ?? publicAzure.exchangeAudience,
      requiredAnnotations: clientIdAnnotations.slice(0, 1),
      optionalAnnotations: [...clientIdAnnotations.slice(1), ...tenantIdAnnotations],
    },
  };
}

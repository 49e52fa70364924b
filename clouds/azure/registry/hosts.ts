import type { ImageReference } from '../../../lib/image-reference.ts';
import { azureClouds, publicAzure } from '../endpoints.ts';
import type { AzureCloud } from '../endpoints.ts';
import type { AzureConfig } from '../../../schemas/config/azure.ts';
import type { KubeletHints } from '../../../schemas/kubelet-hints.ts';
import type { Registry } from '../../cloud.ts';

/**
 * The name of the registry, which may end in a hyphen and a hash, and the region for a regional host. The rest must be
 * exactly one of the suffixes. Data endpoints (`….data.azurecr.io`) serve layers and no logins, so they do not match.
 * https://learn.microsoft.com/azure/container-registry/container-registry-endpoints-reference
 */
const beforeSuffix = /^(?<name>[a-z0-9]{1,63}(?:-[a-z0-9]{1,61})?)(?:\.(?<region>[a-z0-9]{1,63})\.geo)?$/;

/** The registry of an image. It issues the login itself, at port 443, whatever port the image names. */
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

/** The names that a registry may use for itself: the host, and the same without a region. */
export function registryNames(host: string, config: AzureConfig): readonly string[] {
  const parts = partsOf(host, config);
  return parts?.region === undefined ? [host] : [host, `${parts.name}.${parts.suffix}`];
}

/** The cloud of a registry. Suffixes from the configuration belong to the public cloud. */
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
 * Regional hosts have more parts than the others. An entry has one audience: that of the public cloud unless the
 * configuration names another.
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

import type { KubeletHints } from '../../cloud.ts';
import type { AzureConfig } from '../config.ts';
import { azureClouds, publicAzure } from '../azure-clouds.ts';

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

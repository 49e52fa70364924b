import type { Environment } from '../../lib/environment.ts';
import { Failure } from '../../lib/failure.ts';
import { parseHttpAddress } from '../../lib/http/address.ts';
import type { AzureConfig } from '../../schemas/config/azure.ts';

/**
 * A separate Azure cloud, with its own names.
 * https://learn.microsoft.com/entra/identity-platform/authentication-national-cloud and, for the audiences,
 * https://learn.microsoft.com/entra/workload-id/workload-identity-federation-create-trust
 */
export interface AzureCloud {
  readonly registrySuffix: string;
  readonly authorityHost: string;
  /** The audience of tokens that Entra in this cloud exchanges for those of an application. */
  readonly exchangeAudience: string;
  /** Also the audience of tokens for it. */
  readonly resourceManager: string;
}

export const publicAzure: AzureCloud = {
  registrySuffix: 'azurecr.io',
  authorityHost: 'https://login.microsoftonline.com',
  exchangeAudience: 'api://AzureADTokenExchange',
  resourceManager: 'https://management.azure.com',
};

export const azureClouds: readonly AzureCloud[] = [
  publicAzure,
  {
    registrySuffix: 'azurecr.us',
    authorityHost: 'https://login.microsoftonline.us',
    exchangeAudience: 'api://AzureADTokenExchangeUSGov',
    resourceManager: 'https://management.usgovcloudapi.net',
  },
  {
    registrySuffix: 'azurecr.cn',
    authorityHost: 'https://login.chinacloudapi.cn',
    exchangeAudience: 'api://AzureADTokenExchangeChina',
    resourceManager: 'https://management.chinacloudapi.cn',
  },
  {
    registrySuffix: 'azurecr.de',
    authorityHost: 'https://login.microsoftonline.de',
    exchangeAudience: 'api://AzureADTokenExchange',
    resourceManager: 'https://management.microsoftazure.de',
  },
];

/** The endpoint of Entra: from the SDKs' variable, else from the configuration, else that of the registry's cloud. */
export function authorityOf(azureCloud: AzureCloud, config: AzureConfig, env: Environment): URL {
  const url = parseHttpAddress(env['AZURE_AUTHORITY_HOST'] || config.authorityHost || azureCloud.authorityHost);
  if (url?.protocol === 'https:') return url;
  throw new Failure('misconfigured', 'AZURE_AUTHORITY_HOST or authorityHost is not an https address', {
    remedy: 'write it as https://host',
  });
}

/** The Resource Manager of the nodes' machines, and the cloud that it belongs to. */
export function resourceManagerOf({ resourceManager }: AzureConfig): {
  readonly url: URL;
  readonly azureCloud: AzureCloud;
} {
  const url = new URL(resourceManager ?? publicAzure.resourceManager);
  const azureCloud = azureClouds.find((each) => new URL(each.resourceManager).host === url.host);
  return { url, azureCloud: azureCloud ?? publicAzure };
}

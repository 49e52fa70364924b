import { Failure } from '../../lib/failure.ts';
import { parseHttpAddress } from '../../lib/http/address.ts';
import type { Environment } from '../../lib/environment.ts';
import type { AzureConfig } from './config.ts';
import type { AzureCloud } from './azure-clouds.ts';

/** Where Entra is asked: as the SDKs' variable says, else the configuration, else where the registry's cloud has it. */
export function authorityOf(azureCloud: AzureCloud, config: AzureConfig, env: Environment): URL {
  const url = parseHttpAddress(env['AZURE_AUTHORITY_HOST'] || config.authorityHost || azureCloud.authorityHost);
  if (url?.protocol === 'https:') return url;
  throw new Failure('misconfigured', 'AZURE_AUTHORITY_HOST or authorityHost is not an https address', {
    remedy: 'write it as https://host',
  });
}

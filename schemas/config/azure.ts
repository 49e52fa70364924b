import * as z from 'zod/mini';
import { azureDefaults } from './azure.defaults.ts';
import { annotationKeys, domain, httpsUrl } from './formats.ts';

const audience = z.string().check(z.regex(/^[a-z]+:\/\/[\w./-]+$/, 'must be a URI without a scope'));

const AzureSettings = z.strictObject({
  clientIdAnnotations: z
    ._default(annotationKeys, azureDefaults.clientIdAnnotations)
    .check(
      z.describe('Service account annotations that may name the client id to log in as. The first one present wins.'),
    ),
  tenantIdAnnotations: z
    ._default(annotationKeys, azureDefaults.tenantIdAnnotations)
    .check(z.describe('The same for the tenant of that client id.')),
  tenantId: z.optional(
    z
      .string()
      .check(
        z.regex(/^[0-9a-zA-Z][0-9a-zA-Z.-]*[0-9a-zA-Z]$/, 'must be a tenant id or a domain of the tenant'),
        z.describe('The tenant of service accounts without such an annotation. Default: `AZURE_TENANT_ID`.'),
      ),
  ),
  authorityHost: z.optional(
    httpsUrl.check(
      z.describe(
        'The address of Entra, for an Azure cloud that is not in the host table. `AZURE_AUTHORITY_HOST` wins over it.',
      ),
    ),
  ),
  registrySuffixes: z
    ._default(z.array(domain), azureDefaults.registrySuffixes)
    .check(z.describe('The part after the name of a registry in such a cloud, for instance `azurecr.example.com`.')),
  registryAudience: z
    ._default(audience, azureDefaults.registryAudience)
    .check(z.describe('The audience of tokens that registries of that cloud accept.')),
  exchangeAudience: z.optional(
    audience.check(z.describe('The audience of tokens that Entra of that cloud accepts from an application.')),
  ),
});

export const AzureConfig = z._default(AzureSettings, azureDefaults).check(z.describe('Settings for Azure.'));
export type AzureConfig = z.infer<typeof AzureConfig>;

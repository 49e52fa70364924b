import * as z from 'zod/mini';
import { azureDefaults } from './azure.defaults.ts';
import { annotationKeys, domain, httpsUrl, name } from './formats.ts';

const audience = z.string().check(z.regex(/^[a-z]+:\/\/[\w./-]+$/, 'must be a URI without a scope'));

const AzureScope = z.strictObject({
  name: z
    .string()
    .check(
      z.regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be lower-case letters, digits and hyphens'),
      z.describe('Its name in logs and metrics.'),
      z.meta({ examples: ['prod'] }),
    ),
  subscriptionId: z
    .string()
    .check(
      z.regex(/^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/, 'must be the id of a subscription'),
      z.describe('Its subscription.'),
      z.meta({ examples: ['11111111-1111-4111-8111-111111111111'] }),
    ),
  resourceGroups: z.optional(
    z
      .array(name)
      .check(
        z.minLength(1, 'needs at least one'),
        z.describe('Its resource groups. Without them, all of the subscription.'),
        z.meta({ examples: [['mc_prod_westeurope']] }),
      ),
  ),
  nodeIdentity: z.optional(
    name.check(
      z.describe(
        'The managed identity for look-ups, by client id or resource id. Without one, the controller’s own identity is used.',
      ),
      z.meta({ examples: ['33333333-3333-4333-8333-333333333333'] }),
    ),
  ),
});

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
        z.meta({ examples: ['22222222-2222-4222-8222-222222222222'] }),
      ),
  ),
  authorityHost: z.optional(
    httpsUrl.check(
      z.describe(
        'The address of Entra, for an Azure cloud that is not in the host table. `AZURE_AUTHORITY_HOST` wins over it.',
      ),
      z.meta({ examples: ['https://login.region.stack.example'] }),
    ),
  ),
  registrySuffixes: z
    ._default(z.array(domain), azureDefaults.registrySuffixes)
    .check(
      z.describe('The part after the name of a registry in such a cloud, for instance `azurecr.example.com`.'),
      z.meta({ examples: [['azurecr.region.stack.example']] }),
    ),
  registryAudience: z
    ._default(audience, azureDefaults.registryAudience)
    .check(z.describe('The audience of tokens that registries of that cloud accept.')),
  exchangeAudience: z.optional(
    audience.check(
      z.describe('The audience of tokens that Entra of that cloud accepts from an application.'),
      z.meta({ examples: ['api://AzureADTokenExchange'] }),
    ),
  ),
  resourceManager: z.optional(
    httpsUrl.check(
      z.describe('The address of the Resource Manager. Default: `https://management.azure.com`.'),
      z.meta({ examples: ['https://management.usgovcloudapi.net'] }),
    ),
  ),
  scopes: z
    ._default(
      z.array(AzureScope).check(z.refine(noRepeatedNames, 'has two entries with the same `name`')),
      azureDefaults.scopes,
    )
    .check(
      z.describe(
        'Subscriptions and resource groups of the nodes’ machines. Without them, the controller’s own identity is used, in the subscription of each node’s providerID.',
      ),
    ),
});

export const AzureConfig = z._default(AzureSettings, azureDefaults).check(z.describe('Settings for Azure.'));
export type AzureConfig = z.infer<typeof AzureConfig>;
/** A subscription, or resource groups of it. */
export type AzureScopeConfig = AzureConfig['scopes'][number];

function noRepeatedNames(entries: readonly { readonly name: string }[]): boolean {
  return new Set(entries.map((entry) => entry.name)).size === entries.length;
}

import { Failure } from '../../../lib/failure.ts';
import type { Secret } from '../../../lib/secret.ts';
import { readTokenFile } from '../../../lib/token-file.ts';
import type { CloudSettings, Identity } from '../../cloud.ts';
import type { Context } from '../../../lib/context.ts';
import { annotatedApplication } from './application.ts';
import type { Application } from './application.ts';
import { authorityOf } from '../endpoints.ts';
import type { AzureConfig } from '../../../schemas/config/azure.ts';
import type { EntraToken } from './entra-token.ts';
import { environmentIdentity } from './environment.ts';
import { chooseManagedIdentity, managedIdentityToken } from './managed-identity.ts';
import type { AzureCloud } from '../endpoints.ts';
import { tokenByAssertion } from './token-exchange.ts';

export type AzureSettings = CloudSettings<AzureConfig>;

/** Returns a token for an audience. The identity is chosen before, and errors in the settings are thrown before. */
export type TokenSource = (audience: string, context: Context) => Promise<EntraToken>;

/** Sends no request yet. */
export function tokenSourceFor(as: Identity, azureCloud: AzureCloud, settings: AzureSettings): TokenSource {
  const { env, config } = settings;
  if (as.kind === 'token') {
    const application = annotatedApplication(as.role, config, env);
    const assertion = (): Promise<Secret> => Promise.resolve(as.token);
    return federatedSource({ application, assertion, description: 'the token it was given' }, azureCloud, settings);
  }
  if (as.role === undefined) return nodeSource(as.select, azureCloud, settings);
  const application = annotatedApplication(as.role, config, env);
  return federatedSource({ application, ...nodeAssertion(as.select, azureCloud, settings) }, azureCloud, settings);
}

/** The order of the SDKs. A managed identity that is selected by name comes first, and no other is tried after it. */
function nodeSource(select: string | undefined, azureCloud: AzureCloud, settings: AzureSettings): TokenSource {
  const { env, config } = settings;
  const found = select === undefined ? environmentIdentity(env) : undefined;
  if (found?.kind === 'secret' || found?.kind === 'certificate') {
    const authority = authorityOf(azureCloud, config, env);
    return async (audience, context) => {
      const { servicePrincipalToken } = await import('./service-principal.ts');
      return servicePrincipalToken(found, audience, { authority, settings, context });
    };
  }
  if (found?.kind === 'token-file') {
    const { application, path } = found;
    return federatedSource(
      { application, assertion: () => tokenIn(path, settings), description: `the token in ${path}` },
      azureCloud,
      settings,
    );
  }
  const identity = chooseManagedIdentity(select ?? (env['AZURE_CLIENT_ID'] || undefined));
  return (audience, context) => managedIdentityToken(identity, audience, { env, context });
}

interface ClientAssertion {
  /** For messages. */
  readonly description: string;
  assertion(context: Context): Promise<Secret>;
}

/** The token that the node exchanges for one of an application, in the same or another tenant. */
function nodeAssertion(select: string | undefined, azureCloud: AzureCloud, settings: AzureSettings): ClientAssertion {
  const found = select === undefined ? environmentIdentity(settings.env) : undefined;
  if (found?.kind === 'token-file') {
    return { description: `the token in ${found.path}`, assertion: () => tokenIn(found.path, settings) };
  }
  if (found !== undefined) {
    throw new Failure(
      'misconfigured',
      'a client secret or certificate cannot be exchanged for a token of another application',
      {
        remedy: 'name the managed identity of this machine by nodeIdentity, and let the application trust that',
      },
    );
  }
  const source = nodeSource(select, azureCloud, settings);
  const audience = settings.config.exchangeAudience ?? azureCloud.exchangeAudience;
  return {
    description: "this machine's managed identity",
    assertion: async (context) => (await source(audience, context)).token,
  };
}

type FederatedApplication = ClientAssertion & { readonly application: Application };

function federatedSource(
  { application, assertion, description }: FederatedApplication,
  azureCloud: AzureCloud,
  settings: AzureSettings,
): TokenSource {
  const authority = authorityOf(azureCloud, settings.config, settings.env);
  return async (audience, context) => {
    context.http.preconnect?.({ url: authority });
    const token = await assertion(context);
    return tokenByAssertion({ application, token, description }, audience, { authority, context });
  };
}

function tokenIn(path: string, { host }: AzureSettings): Promise<Secret> {
  return readTokenFile(path, host, 'check AZURE_FEDERATED_TOKEN_FILE');
}

import { ClientCertificateCredential, ClientSecretCredential } from '@azure/identity';
import type { ClientSecretCredentialOptions, TokenCredential } from '@azure/identity';
import { Failure } from '../../../lib/failure.ts';
import { apiRetryPolicy } from '../../../lib/http/ask.ts';
import { retry } from '../../../lib/retry.ts';
import type { Context } from '../../../lib/context.ts';

import { entraToken, looksLikeToken, noToken } from './entra-token.ts';
import type { EntraToken } from './entra-token.ts';
import type { EnvironmentIdentity } from './environment.ts';
import type { AzureSettings } from './resolve-identity.ts';
import { createSdkTransport } from './sdk-transport.ts';

type Principal = Exclude<EnvironmentIdentity, { readonly kind: 'token-file' }>;

interface TokenDeps {
  readonly authority: URL;
  readonly settings: AzureSettings;
  readonly context: Context;
}

/** An application with a secret or a certificate. The SDK implements both. */
export async function servicePrincipalToken(
  principal: Principal,
  audience: string,
  { authority, settings, context }: TokenDeps,
): Promise<EntraToken> {
  const { clientId, tenantId } = principal.application;
  rejectRegionalAuthorities(settings, authority);
  const source = `${clientId} in tenant ${tenantId} by ${describePrincipal(principal)}`;
  const createCredential = await credentialFactory(principal, settings);
  context.log.debug(`a token for ${audience} from ${authority.host} as ${source}`);
  const ask = async (): Promise<EntraToken> => {
    const transport = createSdkTransport(authority, source, context);
    // A new one each time: after throttling the SDK's credential would not send again.
    const credential = createCredential({
      ...fixedClientOptions,
      authorityHost: authority.href,
      httpClient: transport.client,
    });
    const response = await credential.getToken(`${audience}/.default`).catch(() => undefined);
    if (response && looksLikeToken(response.token)) {
      return entraToken(response.token, response.expiresOnTimestamp, source);
    }
    throw transport.failure() ?? unusableCredential(principal, authority.host);
  };
  return retry(ask, apiRetryPolicy, context);
}

/** The SDK would read these and send the secret to another host than the chosen one. */
const regionVariables = ['AZURE_REGIONAL_AUTHORITY_NAME', 'MSAL_FORCE_REGION'];

function rejectRegionalAuthorities({ env }: AzureSettings, authority: URL): void {
  const set = regionVariables.find((name) => (env[name] ?? '') !== '');
  if (set === undefined) return;
  throw new Failure(
    'misconfigured',
    `${set} asks for an authority of a region, where ${authority.host} is asked here`,
    {
      remedy: `unset ${set}`,
    },
  );
}

/** Only the request for a token, and no retries by the SDK. */
const fixedClientOptions = { disableInstanceDiscovery: true, retryOptions: { maxRetries: 0 } };

type CredentialFactory = (options: ClientSecretCredentialOptions) => TokenCredential;

async function credentialFactory(principal: Principal, { host }: AzureSettings): Promise<CredentialFactory> {
  const { tenantId, clientId } = principal.application;
  if (principal.kind === 'secret') {
    const secret = principal.secret.reveal();
    return (options) => new ClientSecretCredential(tenantId, clientId, secret, options);
  }
  const { path, password, sendChain } = principal;
  const certificate = await host.readText(path);
  if (certificate === undefined || !certificateAndKey.test(certificate)) throw unusableCredential(principal, '');
  const certificateOptions = { certificate, ...(password !== undefined && { certificatePassword: password.reveal() }) };
  return (options) =>
    new ClientCertificateCredential(tenantId, clientId, certificateOptions, {
      ...options,
      sendCertificateChain: sendChain,
    });
}

const certificateAndKey = /^(?=[^]*-----BEGIN CERTIFICATE-----)(?=[^]*-----BEGIN [A-Z ]*PRIVATE KEY-----)/;

function describePrincipal(principal: Principal): string {
  return principal.kind === 'secret' ? 'its secret' : `the certificate in ${principal.path}`;
}

function unusableCredential(principal: Principal, target: string): Failure {
  if (principal.kind === 'secret') return noToken(target);
  return new Failure('misconfigured', `the certificate in ${principal.path} cannot be used`, {
    remedy:
      'let the file hold certificate and private key in PEM, and set AZURE_CLIENT_CERTIFICATE_PASSWORD if the key needs it',
  });
}

import { ClientCertificateCredential, ClientSecretCredential } from '@azure/identity';
import type { ClientSecretCredentialOptions, TokenCredential } from '@azure/identity';
import { Failure } from '../../lib/failure.ts';
import { retry } from '../../lib/retry.ts';
import type { Context } from '../cloud.ts';
import { servicePolicy } from './ask.ts';
import { entraToken, looksLikeToken, noToken } from './entra-token.ts';
import type { EntraToken } from './entra-token.ts';
import type { EnvironmentIdentity } from './environment-identity.ts';
import type { Settings } from './identity.ts';
import { createSdkTransport } from './sdk-transport.ts';

type Principal = Exclude<EnvironmentIdentity, { readonly kind: 'token-file' }>;

interface Asked {
  readonly authority: URL;
  readonly settings: Settings;
  readonly context: Context;
}

/** An application with a secret or a certificate; the SDK knows how each is shown. */
export async function servicePrincipalToken(
  principal: Principal,
  audience: string,
  { authority, settings, context }: Asked,
): Promise<EntraToken> {
  const { clientId, tenantId } = principal.application;
  refuseRegions(settings, authority);
  const source = `${clientId} in tenant ${tenantId} by ${meansOf(principal)}`;
  const open = await prepare(principal, settings);
  context.log.verbose(`a token for ${audience} from ${authority.host} as ${source}`);
  const ask = async (): Promise<EntraToken> => {
    const transport = createSdkTransport(authority, source, context);
    // A new one each time: the SDK remembers that it was throttled and then does not ask again.
    const credential = open({ ...quietOptions, authorityHost: authority.href, httpClient: transport.client });
    const answer = await credential.getToken(`${audience}/.default`).catch(() => undefined);
    if (answer && looksLikeToken(answer.token)) return entraToken(answer.token, answer.expiresOnTimestamp, source);
    throw transport.failure() ?? unusable(principal, authority.host);
  };
  return retry(ask, servicePolicy, context);
}

/** The SDK would read these by itself and show the secret to another host than the one that was chosen. */
const regionVariables = ['AZURE_REGIONAL_AUTHORITY_NAME', 'MSAL_FORCE_REGION'];

function refuseRegions({ env }: Settings, authority: URL): void {
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

/** Nothing beyond the one request for a token, and no tries that we do not see. */
const quietOptions = { disableInstanceDiscovery: true, retryOptions: { maxRetries: 0 } };

type Open = (options: ClientSecretCredentialOptions) => TokenCredential;

async function prepare(principal: Principal, { host }: Settings): Promise<Open> {
  const { tenantId, clientId } = principal.application;
  if (principal.kind === 'secret') {
    const secret = principal.secret.reveal();
    return (options) => new ClientSecretCredential(tenantId, clientId, secret, options);
  }
  const { path, password, sendChain } = principal;
  const certificate = await host.readText(path);
  if (certificate === undefined || !holdsBoth.test(certificate)) throw unusable(principal, '');
  const given = { certificate, ...(password !== undefined && { certificatePassword: password.reveal() }) };
  return (options) =>
    new ClientCertificateCredential(tenantId, clientId, given, { ...options, sendCertificateChain: sendChain });
}

const holdsBoth = /^(?=[^]*-----BEGIN CERTIFICATE-----)(?=[^]*-----BEGIN [A-Z ]*PRIVATE KEY-----)/;

function meansOf(principal: Principal): string {
  return principal.kind === 'secret' ? 'its secret' : `the certificate in ${principal.path}`;
}

function unusable(principal: Principal, whom: string): Failure {
  if (principal.kind === 'secret') return noToken(whom);
  return new Failure('misconfigured', `the certificate in ${principal.path} cannot be used`, {
    remedy:
      'let the file hold certificate and private key in PEM, and set AZURE_CLIENT_CERTIFICATE_PASSWORD if the key needs it',
  });
}

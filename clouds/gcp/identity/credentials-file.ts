import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import type { IdentityToken } from '../../cloud.ts';
import type { AccessToken } from './access-token.ts';
import type { GcpCredentialSources } from './resolve-identity.ts';
import { impersonate, impersonatedIdentityToken } from './impersonation.ts';
import { parseCredentials } from './parse-credentials.ts';
import type { FileCredentials, SourceCredentials } from './parse-credentials.ts';
import { subjectToken } from './subject-token.ts';
import { exchangeToken } from './token-exchange.ts';

/**
 * An access token of the identity in the file, or of the selected account, which that identity must be allowed to
 * impersonate.
 */
export async function fileToken(
  path: string,
  email: string | undefined,
  sources: GcpCredentialSources,
): Promise<AccessToken> {
  const credentials = await readCredentials(path, sources);
  const own = await ownToken(credentials, path, sources);
  if (email === undefined || email === emailOf(credentials)) return own;
  return impersonate({ email, delegates: [], base: own }, sources.settings.config, sources.context);
}

export interface GcpTokenRequest {
  readonly audience: string;
  readonly email: string | undefined;
}

export async function fileIdentityToken(
  path: string,
  { audience, email }: GcpTokenRequest,
  sources: GcpCredentialSources,
): Promise<IdentityToken> {
  const { config } = sources.settings;
  const credentials = await readCredentials(path, sources);
  const { source, target } = credentials;
  const serviceAccount = email ?? emailOf(credentials);
  if (serviceAccount === undefined) throw noServiceAccount(path);
  if (source.kind === 'key' && target === undefined && serviceAccount === source.email) {
    return (await import('./auth-library.ts')).keyIdentityToken(source, audience, sources);
  }
  const direct = target?.email === serviceAccount;
  const base = direct ? await sourceToken(source, path, sources) : await ownToken(credentials, path, sources);
  const delegates = direct ? target.delegates : [];
  return impersonatedIdentityToken({ email: serviceAccount, delegates, base }, audience, config, sources.context);
}

async function readCredentials(
  path: string,
  { settings: { host, config } }: GcpCredentialSources,
): Promise<FileCredentials> {
  const text = await host.readText(path);
  if (text !== undefined) return parseCredentials(parseJson(text), { path, universeDomain: config.universeDomain });
  throw new Failure('misconfigured', `there is no file ${path}, which GOOGLE_APPLICATION_CREDENTIALS names`, {
    remedy: "put it there, or unset the variable where the instance's own service account is meant",
  });
}

async function ownToken(
  { source, target }: FileCredentials,
  path: string,
  sources: GcpCredentialSources,
): Promise<AccessToken> {
  const base = await sourceToken(source, path, sources);
  return target === undefined ? base : impersonate({ ...target, base }, sources.settings.config, sources.context);
}

async function sourceToken(
  source: SourceCredentials,
  path: string,
  sources: GcpCredentialSources,
): Promise<AccessToken> {
  if (source.kind === 'federated') {
    const { audience, tokenType, credentialSource } = source;
    const token = await subjectToken(credentialSource, path, sources);
    return exchangeToken({ audience, token, tokenType, tokenOwner: path }, sources.settings.config, sources.context);
  }
  const { keyToken, userToken } = await import('./auth-library.ts');
  return source.kind === 'key' ? keyToken(source, sources) : userToken(source, path, sources);
}

function emailOf({ source, target }: FileCredentials): string | undefined {
  return target?.email ?? (source.kind === 'key' ? source.email : undefined);
}

function noServiceAccount(path: string): Failure {
  return new Failure('misconfigured', `${path} names no service account, so Google signs no token for it`, {
    remedy: 'name one by nodeIdentity, or in service_account_impersonation_url',
  });
}

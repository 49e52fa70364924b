import type { CloudSettings, Identity } from '../../cloud.ts';
import type { Context } from '../../../lib/context.ts';
import type { AccessToken } from './access-token.ts';
import type { GcpConfig } from '../../../schemas/config/gcp.ts';
import { serviceAccountUrl } from '../endpoints.ts';
import { impersonate } from './impersonation.ts';
import { defaultAccount, instanceToken, noServiceAccount } from './instance-account.ts';
import { poolProviderFor } from './pool-provider.ts';
import { firstAnnotation, checkServiceAccount } from './service-account.ts';
import { describeHolder } from './signed-token.ts';
import { exchangeToken } from './token-exchange.ts';

/** What tokens are obtained with. */
export interface GcpCredentialSources {
  readonly settings: CloudSettings<GcpConfig>;
  readonly context: Context;
}

/** An access token of the identity, or of the service account that its role names, if it names one. */
export async function accessTokenFor(as: Identity, sources: GcpCredentialSources): Promise<AccessToken> {
  const { config } = sources.settings;
  const role = as.role ?? {};
  const named = firstAnnotation(role, config.serviceAccountAnnotations);
  const email = named && checkServiceAccount(named.value, named.key);
  const pending = as.kind === 'node' ? nodeToken(as.select, sources) : poolToken(as, sources);
  if (email === undefined) return pending;
  // The second request goes to another host. Its connection can be opened during the first request.
  sources.context.http.preconnect?.({ url: serviceAccountUrl(email, 'generateAccessToken', config) });
  return impersonate({ email, delegates: [], base: await pending }, config, sources.context);
}

/**
 * The holder of the token, a pod or a node of another cloud, is a principal of the pool. The IAM policy of the registry
 * decides what this principal may pull. A pod never gets the node's identity.
 */
function poolToken(
  { token, role }: Extract<Identity, { readonly kind: 'token' }>,
  { settings: { config }, context }: GcpCredentialSources,
): Promise<AccessToken> {
  const audience = poolProviderFor(token, role, config);
  const tokenType = 'urn:ietf:params:oauth:token-type:jwt';
  return exchangeToken({ audience, token, tokenType, tokenOwner: describeHolder(token) }, config, context);
}

/** A configured file comes first. If it fails, the instance's own account is not tried. */
async function nodeToken(select: string | undefined, sources: GcpCredentialSources): Promise<AccessToken> {
  const { settings, context } = sources;
  const email = selectedAccount(select);
  const path = settings.env['GOOGLE_APPLICATION_CREDENTIALS'];
  if (path) {
    const { fileToken } = await import('./credentials-file.ts');
    return fileToken(path, email, sources);
  }
  const own = await instanceToken(email ?? defaultAccount, settings.env, context);
  if (own !== undefined) return own;
  if (email === undefined) throw noServiceAccount();
  // It is no account of the instance, so the instance's account must be allowed to impersonate it.
  const base = await instanceToken(defaultAccount, settings.env, context);
  if (base === undefined) throw noServiceAccount();
  return impersonate({ email, delegates: [], base }, settings.config, context);
}

/** `undefined`: the default identity of the node. */
export function selectedAccount(select: string | undefined): string | undefined {
  if (select === undefined || select === defaultAccount) return undefined;
  return checkServiceAccount(select, `nodeIdentity ${select}`);
}

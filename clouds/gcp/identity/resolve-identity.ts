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

/** Where tokens may come from. */
export interface GcpCredentialSources {
  readonly settings: CloudSettings<GcpConfig>;
  readonly context: Context;
}

/** Who asks, and on top of that the service account that its role names, if it names one. */
export async function accessTokenFor(as: Identity, sources: GcpCredentialSources): Promise<AccessToken> {
  const { config } = sources.settings;
  const role = as.role ?? {};
  const named = firstAnnotation(role, config.serviceAccountAnnotations);
  const email = named && checkServiceAccount(named.value, named.key);
  const pending = as.kind === 'node' ? nodeToken(as.select, sources) : poolToken(as, sources);
  if (email === undefined) return pending;
  // The second question goes to another host, whose connection can be made while the first one is answered.
  sources.context.http.preconnect?.({ url: serviceAccountUrl(email, 'generateAccessToken', config) });
  return impersonate({ email, delegates: [], base: await pending }, config, sources.context);
}

/**
 * Whoever holds the token is a principal of the pool, a pod as well as a node of another cloud; what that may pull is for
 * the registry's IAM policy to say. A pod is never the node.
 */
function poolToken(
  { token, role }: Extract<Identity, { readonly kind: 'token' }>,
  { settings: { config }, context }: GcpCredentialSources,
): Promise<AccessToken> {
  const audience = poolProviderFor(token, role, config);
  const tokenType = 'urn:ietf:params:oauth:token-type:jwt';
  return exchangeToken({ audience, token, tokenType, tokenOwner: describeHolder(token) }, config, context);
}

/** A file that was named goes first and is never passed over for the instance's own account. */
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
  // Not one of the instance's own: then its own one has to be allowed to become it.
  const base = await instanceToken(defaultAccount, settings.env, context);
  if (base === undefined) throw noServiceAccount();
  return impersonate({ email, delegates: [], base }, settings.config, context);
}

/** `undefined`: whoever the node is by default. */
export function selectedAccount(select: string | undefined): string | undefined {
  if (select === undefined || select === defaultAccount) return undefined;
  return checkServiceAccount(select, `nodeIdentity ${select}`);
}

import { Secret } from '../../../lib/secret.ts';
import type { CloudSettings, IdentityToken } from '../../cloud.ts';
import type { Context } from '../../../lib/context.ts';
import type { GcpConfig } from '../../../schemas/config/gcp.ts';
import { selectedAccount } from './resolve-identity.ts';
import { impersonatedIdentityToken } from './impersonation.ts';
import { defaultAccount, instanceToken, noServiceAccount } from './instance-account.ts';
import { readMetadata } from '../metadata/session.ts';
import { identityTokenOf } from './signed-token.ts';

/** A token that Google signed for this node and this audience. */
export async function issueToken(
  audience: string,
  select: string | undefined,
  settings: CloudSettings<GcpConfig>,
  context: Context,
): Promise<IdentityToken> {
  const email = selectedAccount(select);
  const path = settings.env['GOOGLE_APPLICATION_CREDENTIALS'];
  if (path) {
    const { fileIdentityToken: fileProof } = await import('./credentials-file.ts');
    return fileProof(path, { audience, email }, { settings, context });
  }
  const own = await instanceIdentityToken(audience, email ?? defaultAccount, settings, context);
  if (own !== undefined) return own;
  const base = email === undefined ? undefined : await instanceToken(defaultAccount, settings.env, context);
  if (email === undefined || base === undefined) throw noServiceAccount();
  return impersonatedIdentityToken({ email, delegates: [], base }, audience, settings.config, context);
}

/**
 * With `format=full` the token names project, zone and instance, so that others can trust one machine and not all of
 * its account.
 */
async function instanceIdentityToken(
  audience: string,
  account: string,
  { env }: CloudSettings<GcpConfig>,
  context: Context,
): Promise<IdentityToken | undefined> {
  const query = new URLSearchParams({ audience, format: 'full' });
  const path = `instance/service-accounts/${account}/identity?${query.toString()}`;
  context.log.debug(`identity token of service account ${account} at the metadata server`);
  const text = await readMetadata(path, env, context);
  return text === undefined ? undefined : identityTokenOf(new Secret(text), 'the metadata server');
}

import { Secret } from '../../lib/secret.ts';
import type { CloudSettings, Context, Proof } from '../cloud.ts';
import type { GcpConfig } from './config.ts';
import { selected } from './identity.ts';
import { impersonatedProof } from './impersonation.ts';
import { defaultAccount, instanceToken, noAccount } from './instance-account.ts';
import { readMetadata } from './metadata.ts';
import { proofOf } from './signed-token.ts';

/** A token that Google signed for this node, for whoever the audience is. */
export async function prove(
  audience: string,
  select: string | undefined,
  settings: CloudSettings<GcpConfig>,
  context: Context,
): Promise<Proof> {
  const email = selected(select);
  const path = settings.env['GOOGLE_APPLICATION_CREDENTIALS'];
  if (path) {
    const { fileProof } = await import('./credentials-file.ts');
    return fileProof(path, { audience, email }, { settings, context });
  }
  const own = await instanceProof(audience, email ?? defaultAccount, settings, context);
  if (own !== undefined) return own;
  const base = email === undefined ? undefined : await instanceToken(defaultAccount, settings.env, context);
  if (email === undefined || base === undefined) throw noAccount();
  return impersonatedProof({ email, delegates: [], base }, audience, settings.config, context);
}

/** `format=full` puts project, zone and instance into it, so that others can trust one machine and not its account. */
async function instanceProof(
  audience: string,
  account: string,
  { env }: CloudSettings<GcpConfig>,
  context: Context,
): Promise<Proof | undefined> {
  const query = new URLSearchParams({ audience, format: 'full' });
  const path = `instance/service-accounts/${account}/identity?${query.toString()}`;
  context.log.verbose(`identity token of service account ${account} at the metadata server`);
  const text = await readMetadata(path, env, context);
  return text === undefined ? undefined : proofOf(new Secret(text), 'the metadata server');
}

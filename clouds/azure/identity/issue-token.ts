import { Failure } from '../../../lib/failure.ts';
import type { IdentityToken } from '../../cloud.ts';
import type { Context } from '../../../lib/context.ts';
import { metadataService } from '../metadata/session.ts';
import { tokenSourceFor } from './resolve-identity.ts';
import type { AzureSettings } from './resolve-identity.ts';
import { publicAzure } from '../endpoints.ts';

interface TokenDeps {
  readonly select: string | undefined;
  readonly settings: AzureSettings;
  readonly context: Context;
}

/** A token that identifies the node's Entra identity to others, also to other clouds. */
export async function issueToken(audience: string, { select, settings, context }: TokenDeps): Promise<IdentityToken> {
  const source = tokenSourceFor({ kind: 'node', ...(select !== undefined && { select }) }, publicAzure, settings);
  const { token, expiresAtMs } = await source(audience, context);
  if (expiresAtMs !== undefined) return { token, expiresAtMs };
  throw new Failure('invalid-response', `${metadataService} returned a token without an expiry`, {
    remedy: 'check that nothing else answers in its place',
  });
}

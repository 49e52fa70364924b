import type { CloudSettings, Identity, Login } from '../../cloud.ts';
import type { Context } from '../../../lib/context.ts';
import type { GcpConfig } from '../../../schemas/config/gcp.ts';
import { accessTokenFor } from '../identity/resolve-identity.ts';

/**
 * The user name that Google documents for access tokens, for Container Registry and Artifact Registry alike; `_token`, which
 * its own provider sends, works on both but stands nowhere.
 * https://cloud.google.com/artifact-registry/docs/docker/authentication#token
 */
const username = 'oauth2accesstoken';

/** Google's registries take an access token for a password, so whoever has one is logged in. */
export async function logIn(as: Identity, settings: CloudSettings<GcpConfig>, context: Context): Promise<Login> {
  const { token, expiresAtMs } = await accessTokenFor(as, { settings, context });
  return {
    username,
    password: token,
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    // An access token outlives what it was exchanged for.
    endsWithToken: false,
  };
}

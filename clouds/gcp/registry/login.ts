import type { CloudSettings, Identity, Login } from '../../cloud.ts';
import type { Context } from '../../../lib/context.ts';
import type { GcpConfig } from '../../../schemas/config/gcp.ts';
import { accessTokenFor } from '../identity/resolve-identity.ts';

/**
 * The user name that Google documents for access tokens, for Container Registry and Artifact Registry. `_token`, which
 * Google's own provider sends, works on both but is not documented.
 * https://cloud.google.com/artifact-registry/docs/docker/authentication#token
 */
const username = 'oauth2accesstoken';

/** Google's registries accept an access token as the password, so no request is needed for the login itself. */
export async function logIn(as: Identity, settings: CloudSettings<GcpConfig>, context: Context): Promise<Login> {
  const { token, expiresAtMs } = await accessTokenFor(as, { settings, context });
  return {
    username,
    password: token,
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    // An access token stays valid when the token that it was exchanged for expires.
    endsWithToken: false,
  };
}

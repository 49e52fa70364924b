// Not from the package's index, which also loads its search for gcloud, its metadata client and the code that runs
// programs.
import { JWT } from 'google-auth-library/build/src/auth/jwtclient.js';
import { UserRefreshClient } from 'google-auth-library/build/src/auth/refreshclient.js';
import { Failure } from '../../../lib/failure.ts';
import { Secret } from '../../../lib/secret.ts';
import type { IdentityToken } from '../../cloud.ts';
import { toAccessToken, unusableResponse } from './access-token.ts';
import type { AccessToken } from './access-token.ts';
import { oauth2TokenUrl } from '../endpoints.ts';
import type { GcpCredentialSources } from './resolve-identity.ts';
import { createSdkTransport, failureIn } from './sdk-transport.ts';
import type { LibraryCall, GcpSdkTransport } from './sdk-transport.ts';
import type { KeyCredentials, UserCredentials } from './parse-credentials.ts';
import { IdTokenAnswer, TokenResponse } from '../schemas.ts';
import { identityTokenOf } from './signed-token.ts';

/** The key signs a token, which the token endpoint exchanges for an access token. */
export async function keyToken(key: KeyCredentials, sources: GcpCredentialSources): Promise<AccessToken> {
  const { client, source, target } = createKeyClient(key, TokenResponse, sources);
  const { access_token: token, expiry_date: expiresAtMs } = await unwrapFailure(() => client.authorize(), source);
  const found = toAccessToken(token ?? '', expiresAtMs ?? undefined, source);
  if (found === undefined) throw unusableResponse(target);
  return found;
}

export async function keyIdentityToken(
  key: KeyCredentials,
  audience: string,
  sources: GcpCredentialSources,
): Promise<IdentityToken> {
  const { client, source, target } = createKeyClient(key, IdTokenAnswer, sources);
  const token = await unwrapFailure(() => client.fetchIdToken(audience), source);
  return identityTokenOf(new Secret(token), target);
}

/** The refresh token of a person's login. */
export async function userToken(
  user: UserCredentials,
  path: string,
  sources: GcpCredentialSources,
): Promise<AccessToken> {
  const source = `the user of ${path}`;
  const remedyWhenDenied = 'log in again, or better give the node a service account';
  const { transporterOptions, target } = connect({ as: source, remedyWhenDenied, schema: TokenResponse }, sources);
  const client = new UserRefreshClient({
    clientId: user.clientId,
    clientSecret: user.clientSecret.reveal(),
    refreshToken: user.refreshToken.reveal(),
    ...fixedClientOptions,
    transporterOptions,
  });
  const { credentials } = await unwrapFailure(() => client.refreshAccessToken(), source);
  const found = toAccessToken(credentials.access_token ?? '', credentials.expiry_date ?? undefined, source);
  if (found === undefined) throw unusableResponse(target);
  return found;
}

/** No headers that name the software of this node, and no logging by the library, which would print tokens. */
const fixedClientOptions = { useAuthRequestParameters: false };

interface KeyClient {
  readonly client: JWT;
  readonly source: string;
  readonly target: string;
}

function createKeyClient(
  { email, privateKey, keyId }: KeyCredentials,
  schema: LibraryCall['schema'],
  sources: GcpCredentialSources,
): KeyClient {
  const source = `the key of ${email}`;
  const remedyWhenDenied = 'check that key and service account exist and are enabled, or make a new key';
  const { transporterOptions, target } = connect({ as: source, remedyWhenDenied, schema }, sources);
  const client = new JWT({
    email,
    key: privateKey.reveal(),
    ...(keyId !== undefined && { keyId }),
    scopes: [...sources.settings.config.scopes],
    ...fixedClientOptions,
    transporterOptions,
  });
  return { client, source, target };
}

interface ClientConnection {
  readonly transporterOptions: GcpSdkTransport;
  readonly target: string;
}

type Opening = Pick<LibraryCall, 'as' | 'remedyWhenDenied' | 'schema'>;

function connect(opening: Opening, { settings, context }: GcpCredentialSources): ClientConnection {
  const url = oauth2TokenUrl(settings.config);
  const call = { ...opening, url, target: url.host, action: 'the token request' };
  return { transporterOptions: createSdkTransport(call, context), target: url.host };
}

async function unwrapFailure<T>(call: () => Promise<T>, source: string): Promise<T> {
  try {
    return await call();
  } catch (error) {
    // Any other error is about the key: it cannot be read, or it cannot sign.
    throw (
      failureIn(error) ??
      new Failure('misconfigured', `${source} cannot be used`, { remedy: 'check that the file was copied whole' })
    );
  }
}

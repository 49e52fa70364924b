// Not by the package's own front door: that loads its search for gcloud, its metadata client and its way to run programs.
import { JWT } from 'google-auth-library/build/src/auth/jwtclient.js';
import { UserRefreshClient } from 'google-auth-library/build/src/auth/refreshclient.js';
import { Failure } from '../../lib/failure.ts';
import { Secret } from '../../lib/secret.ts';
import type { Proof } from '../cloud.ts';
import { accessToken, noToken } from './access-token.ts';
import type { AccessToken } from './access-token.ts';
import { oauth2TokenUrl } from './endpoints.ts';
import type { Sources } from './identity.ts';
import { createLibraryTransport, failureIn } from './library-transport.ts';
import type { LibraryCall, LibraryTransport } from './library-transport.ts';
import type { KeyCredentials, UserCredentials } from './parse-credentials.ts';
import { IdTokenAnswer, TokenAnswer } from './schemas.ts';
import { proofOf } from './signed-token.ts';

/** The key signs who it is, and the token endpoint gives an access token for that. */
export async function keyToken(key: KeyCredentials, sources: Sources): Promise<AccessToken> {
  const { client, source, whom } = openKey(key, TokenAnswer, sources);
  const { access_token: token, expiry_date: expiresAtMs } = await unwrapped(() => client.authorize(), source);
  const found = accessToken(token ?? '', expiresAtMs ?? undefined, source);
  if (found === undefined) throw noToken(whom);
  return found;
}

export async function keyProof(key: KeyCredentials, audience: string, sources: Sources): Promise<Proof> {
  const { client, source, whom } = openKey(key, IdTokenAnswer, sources);
  const token = await unwrapped(() => client.fetchIdToken(audience), source);
  return proofOf(new Secret(token), whom);
}

/** What a person's login left behind. */
export async function userToken(user: UserCredentials, path: string, sources: Sources): Promise<AccessToken> {
  const source = `the user of ${path}`;
  const remedyWhenDenied = 'log in again, or better give the node a service account';
  const { transporterOptions, whom } = open({ as: source, remedyWhenDenied, schema: TokenAnswer }, sources);
  const client = new UserRefreshClient({
    clientId: user.clientId,
    clientSecret: user.clientSecret.reveal(),
    refreshToken: user.refreshToken.reveal(),
    ...quiet,
    transporterOptions,
  });
  const { credentials } = await unwrapped(() => client.refreshAccessToken(), source);
  const found = accessToken(credentials.access_token ?? '', credentials.expiry_date ?? undefined, source);
  if (found === undefined) throw noToken(whom);
  return found;
}

/** No headers that say what runs here, and none of its own logging, which would print tokens. */
const quiet = { useAuthRequestParameters: false };

interface OpenKey {
  readonly client: JWT;
  readonly source: string;
  readonly whom: string;
}

function openKey(
  { email, privateKey, keyId }: KeyCredentials,
  schema: LibraryCall['schema'],
  sources: Sources,
): OpenKey {
  const source = `the key of ${email}`;
  const remedyWhenDenied = 'check that key and service account exist and are enabled, or make a new key';
  const { transporterOptions, whom } = open({ as: source, remedyWhenDenied, schema }, sources);
  const client = new JWT({
    email,
    key: privateKey.reveal(),
    ...(keyId !== undefined && { keyId }),
    scopes: [...sources.settings.config.scopes],
    ...quiet,
    transporterOptions,
  });
  return { client, source, whom };
}

interface Opened {
  readonly transporterOptions: LibraryTransport;
  readonly whom: string;
}

type Opening = Pick<LibraryCall, 'as' | 'remedyWhenDenied' | 'schema'>;

function open(opening: Opening, { settings, context }: Sources): Opened {
  const url = oauth2TokenUrl(settings.config);
  const call = { ...opening, url, whom: url.host, action: 'the token request' };
  return { transporterOptions: createLibraryTransport(call, context), whom: url.host };
}

async function unwrapped<T>(work: () => Promise<T>, source: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Anything else is about the key: it can't be read, or signs nothing.
    throw (
      failureIn(error) ??
      new Failure('misconfigured', `${source} cannot be used`, { remedy: 'check that the file was copied whole' })
    );
  }
}

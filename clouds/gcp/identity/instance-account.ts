import { parseJson } from '../../../lib/json.ts';
import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import { toAccessToken, unusableResponse } from './access-token.ts';
import type { AccessToken } from './access-token.ts';
import { readMetadata } from '../metadata/session.ts';
import { TokenResponse } from '../schemas.ts';

const metadataServer = 'the metadata server';
const msPerSecond = 1_000;

/**
 * An access token of the instance's service account, or of another account of the instance. `undefined`: it has no such
 * account.
 */
export async function instanceToken(
  account: string,
  env: Environment,
  context: Context,
): Promise<AccessToken | undefined> {
  context.log.debug(`access token of service account ${account} at ${metadataServer}`);
  const requestedAtMs = context.clock.wallMs();
  const text = await readMetadata(`instance/service-accounts/${account}/token`, env, context);
  if (text === undefined) return undefined;
  const parsed = TokenResponse.safeParse(parseJson(text));
  if (!parsed.success) throw unusableResponse(metadataServer);
  const { access_token: token, expires_in: lifeS } = parsed.data;
  const expiresAtMs = lifeS === undefined ? undefined : requestedAtMs + lifeS * msPerSecond;
  const found = toAccessToken(token, expiresAtMs, nameOf(account));
  if (found === undefined) throw unusableResponse(metadataServer);
  return found;
}

export const defaultAccount = 'default';

function nameOf(account: string): string {
  return account === defaultAccount ? "the instance's service account" : account;
}

export function noServiceAccount(): Failure {
  return new Failure('misconfigured', 'this instance has no service account', {
    remedy:
      'attach one that has roles/artifactregistry.reader, or let GOOGLE_APPLICATION_CREDENTIALS name a file of credentials',
  });
}

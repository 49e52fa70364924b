import type { Secret } from '../../../lib/secret.ts';
import type { Context } from '../../../lib/context.ts';
import { toAccessToken, unusableResponse } from './access-token.ts';
import type { AccessToken } from './access-token.ts';
import { askGoogle } from '../ask.ts';
import type { GcpConfig } from '../../../schemas/config/gcp.ts';
import { tokenExchangeUrl } from '../endpoints.ts';
import { TokenResponse } from '../schemas.ts';

export interface TokenExchange {
  /** The provider of the pool, as STS wants it named. */
  readonly audience: string;
  readonly token: Secret;
  readonly tokenType: string;
  /** The holder of the token, for messages: `service account default/app`. */
  readonly tokenOwner: string;
}

const msPerSecond = 1_000;

/**
 * Exchanges a signed token of another issuer for an access token, if a workload identity pool trusts the issuer. It
 * does not use google-auth-library, which takes longer to load than all the rest of a start. The library's clients for
 * the exchange also ignore the transport that they are given.
 * https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token
 */
export async function exchangeToken(
  tokenExchange: TokenExchange,
  config: GcpConfig,
  context: Context,
): Promise<AccessToken> {
  const { audience, token, tokenType, tokenOwner } = tokenExchange;
  const url = tokenExchangeUrl(config);
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience,
    scope: config.scopes.join(' '),
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token: token.reveal(),
    subject_token_type: tokenType,
  });
  const request = {
    url,
    target: url.host,
    action: 'the token exchange',
    as: `the token of ${tokenOwner}`,
    remedyWhenDenied: "check the provider's issuer, its allowed audiences and its attribute condition",
    body,
  };
  const { json, requestedAtMs } = await askGoogle(request, context);
  const parsed = TokenResponse.safeParse(json);
  const { access_token: text = '', expires_in: lifeS } = parsed.data ?? {};
  const expiresAtMs = lifeS === undefined ? undefined : requestedAtMs + lifeS * msPerSecond;
  const found = toAccessToken(text, expiresAtMs, `the principal of ${tokenOwner}`);
  if (found === undefined) throw unusableResponse(url.host);
  return found;
}

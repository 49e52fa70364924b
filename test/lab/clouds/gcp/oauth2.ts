import type { LabResponse, Moment, LabService } from '../cloud.ts';
import { isSignedBy, parseSignedToken } from '../signed-token.ts';
import type { SignedToken } from '../signed-token.ts';
import { issueAccessToken } from './access-tokens.ts';
import { signIdentityToken } from './identity-token.ts';
import { json, wrongHostResponse, oauthError } from './errors.ts';
import type { GcpState, ServiceAccount } from './state.ts';
import { cloudPlatform } from './state.ts';

/** The token endpoint: https://developers.google.com/identity/protocols/oauth2/service-account#httprest */
export const oauth2: LabService<GcpState> = {
  throttled: oauthError(429, 'rate_limit_exceeded', 'Rate Limit Exceeded'),
  respond: (request, state, moment) => {
    const wrongHost = wrongHostResponse(request.host, 'oauth2');
    if (wrongHost) return wrongHost;
    if (request.method !== 'POST' || request.path !== '/token') return { status: 404, headers: {}, body: '' };
    const input = Object.fromEntries(new URLSearchParams(request.body));
    const grant = Object.hasOwn(grants, input['grant_type'] ?? '') ? grants[input['grant_type'] ?? ''] : undefined;
    return grant?.(input, state, moment) ?? oauthError(400, 'unsupported_grant_type', 'Invalid grant_type');
  },
};

type Input = Readonly<Record<string, string>>;
type Grant = (input: Input, state: GcpState, moment: Moment) => LabResponse;

const grants: Readonly<Record<string, Grant | undefined>> = {
  'urn:ietf:params:oauth:grant-type:jwt-bearer': byAssertion,
  refresh_token: byRefreshToken,
};

const lifeS = 3599;
const longestLifeS = 3600;
const leewayS = 5 * 60;
const ownAudience = 'https://oauth2.googleapis.com/token';

/** The account's key signed who it is, what for and until when. */
function byAssertion({ assertion = '' }: Input, state: GcpState, moment: Moment): LabResponse {
  const jwt = parseSignedToken(assertion);
  if (jwt === undefined) return refused('Invalid JWT: Failed to parse');
  const email = String(jwt.claims['iss']);
  const refusal = check(jwt, state.serviceAccounts[email], moment.nowMs / 1000);
  if (refusal !== undefined) return refused(refusal);
  const audience = jwt.claims['target_audience'];
  if (typeof audience === 'string') {
    return json(200, { id_token: signIdentityToken({ email, audience, full: false }, state, moment) });
  }
  const scopes = scopesIn(jwt.claims['scope']);
  if (scopes.length === 0) return oauthError(400, 'invalid_scope', badScope);
  const issued = issueAccessToken({ member: `serviceAccount:${email}`, scopes, lifeS }, state, moment);
  return json(200, { access_token: issued.token, ...issued.expiresIn, token_type: 'Bearer' });
}

const badScope = 'Invalid OAuth scope or ID token audience provided.';

/** The reason against it, in Google's words. */
function check(jwt: SignedToken, account: ServiceAccount | undefined, nowS: number): string | undefined {
  const { aud, iat, exp } = jwt.claims;
  if (account === undefined) return 'Invalid grant: account not found';
  if (!account.keys.some((key) => isSignedBy(jwt, key))) return 'Invalid JWT Signature.';
  if (aud !== ownAudience) return 'Invalid JWT: wrong audience';
  if (!inTime(Number(iat), Number(exp), nowS)) return badTime;
  return account.disabled ? 'Invalid grant: account is disabled' : undefined;
}

function inTime(issuedAtS: number, expiresAtS: number, nowS: number): boolean {
  const short = expiresAtS - issuedAtS <= longestLifeS && expiresAtS > issuedAtS;
  return short && issuedAtS <= nowS + leewayS && expiresAtS >= nowS - leewayS;
}

const badTime =
  'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.';

/** A list or a text, as the libraries write it. */
function scopesIn(scope: unknown): readonly string[] {
  return [scope].flat().flatMap((each) => (typeof each === 'string' ? each.split(' ') : []));
}

function byRefreshToken(input: Input, state: GcpState, moment: Moment): LabResponse {
  const token = input['refresh_token'] ?? '';
  const user = Object.hasOwn(state.users, token) ? state.users[token] : undefined;
  if (user === undefined) return refused('Token has been expired or revoked.');
  if (user.clientId !== input['client_id'] || user.clientSecret !== input['client_secret']) {
    return oauthError(401, 'invalid_client', 'The provided client secret is invalid.');
  }
  const scopes = [cloudPlatform];
  const issued = issueAccessToken({ member: `user:${user.email}`, scopes, lifeS }, state, moment);
  return json(200, { access_token: issued.token, ...issued.expiresIn, scope: scopes.join(' '), token_type: 'Bearer' });
}

function refused(description: string): LabResponse {
  return oauthError(400, 'invalid_grant', description);
}

import { isSignedBy, parseSignedToken } from '../signed-token.ts';
import type { Refusal } from './refusal.ts';
import { refuse } from './refusal.ts';
import type { Issuer } from './state.ts';

export interface WebIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly audience: string;
}

/** Checks a JSON web token as STS does: its issuer is known, its audience is the issuer's, its signature and time hold. */
export function checkWebIdentity(
  token: string,
  issuers: Readonly<Record<string, Issuer>>,
  nowMs: number,
): WebIdentity | Refusal {
  const jwt = parseSignedToken(token);
  if (!jwt) return bad(notJwt);
  const { iss: issuerUrl, sub: subject, exp: expiresAtS, aud: audiences } = jwt.claims;
  const issuer = issuers[String(issuerUrl)];
  if (!issuer) return bad(`No OpenIDConnect provider found in your account for ${String(issuerUrl)}`);
  const audience = [audiences]
    .flat()
    .map(String)
    .find((each) => issuer.audiences.includes(each));
  if (audience === undefined) return bad('Incorrect token audience');
  if (!issuer.keys.some((key) => isSignedBy(jwt, key))) {
    return bad("Couldn't retrieve verification key from your identity provider");
  }
  const nowS = Math.floor(nowMs / 1000);
  if (Number(expiresAtS) <= nowS) {
    const times = `current date/time ${String(nowS)} must be before the expiration date/time ${String(expiresAtS)}`;
    return refuse('expired-web-identity', `Token expired: ${times}`);
  }
  return { issuer: String(issuerUrl), subject: String(subject), audience };
}

const notJwt = 'The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)';

function bad(message: string): Refusal {
  return refuse('bad-web-identity', message);
}

import { createPublicKey, verify } from 'node:crypto';
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
  const jwt = parse(token);
  if (!jwt) return bad(notJwt);
  const { iss: issuerUrl, sub: subject, exp: expiresAtS } = jwt.claims;
  const issuer = issuers[String(issuerUrl)];
  if (!issuer) return bad(`No OpenIDConnect provider found in your account for ${String(issuerUrl)}`);
  const audience = [jwt.claims.aud]
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

interface Jwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<'iss' | 'sub' | 'aud' | 'exp', unknown>>;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

function parse(token: string): Jwt | undefined {
  const [header = '', claims = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0) return undefined;
  try {
    return {
      header: JSON.parse(decode(header).toString()) as Jwt['header'],
      claims: JSON.parse(decode(claims).toString()) as Jwt['claims'],
      signed: Buffer.from(`${header}.${claims}`),
      signature: decode(signature),
    };
  } catch {
    return undefined;
  }
}

function decode(part: string): Buffer {
  return Buffer.from(part, 'base64url');
}

function isSignedBy({ header, signed, signature }: Jwt, key: Issuer['keys'][number]): boolean {
  const keyType = keyTypes[String(header['alg'])];
  if (key.kty !== keyType || (key.kid !== undefined && key.kid !== header['kid'])) return false;
  const publicKey = createPublicKey({ key, format: 'jwk' });
  return verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
}

const keyTypes: Readonly<Record<string, string>> = { RS256: 'RSA', ES256: 'EC' };

import { constants, createPublicKey, verify } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';

/** A JSON web token, taken apart and not yet checked. */
export interface SignedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** As an issuer publishes it. */
export type PublicKey = JsonWebKey & { readonly kid?: string };

/** `undefined`: it is none. */
export function parseSignedToken(token: string): SignedToken | undefined {
  const [header = '', claims = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0) return undefined;
  try {
    return {
      header: JSON.parse(decode(header).toString()) as SignedToken['header'],
      claims: JSON.parse(decode(claims).toString()) as SignedToken['claims'],
      signed: Buffer.from(`${header}.${claims}`),
      signature: decode(signature),
    };
  } catch {
    return undefined;
  }
}

export function isSignedBy(token: SignedToken, key: PublicKey): boolean {
  const keyType = keyTypes[String(token.header['alg'])];
  if (key.kty !== keyType || (key.kid !== undefined && key.kid !== token.header['kid'])) return false;
  return fits(token, createPublicKey({ key, format: 'jwk' }));
}

/** The same for the holder of a certificate, in PEM. */
export function isSignedByHolderOf(token: SignedToken, certificate: string): boolean {
  return fits(token, createPublicKey(certificate));
}

function fits({ header, signed, signature }: SignedToken, key: KeyObject): boolean {
  const padding = header['alg'] === 'PS256' && { padding: constants.RSA_PKCS1_PSS_PADDING };
  return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363', ...padding }, signature);
}

function decode(part: string): Buffer {
  return Buffer.from(part, 'base64url');
}

const keyTypes: Readonly<Record<string, string>> = { RS256: 'RSA', ES256: 'EC' };

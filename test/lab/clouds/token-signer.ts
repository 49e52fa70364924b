import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';

/** Signs JSON web tokens as a cluster's or a cloud's issuer does. */
export interface TokenSigner {
  /** What an embedded cloud has to know to check them. */
  readonly publicKey: JsonWebKey & { readonly kid: string };
  sign(claims: Readonly<Record<string, unknown>>): string;
}

export function createTokenSigner(algorithm: 'RS256' | 'ES256'): TokenSigner {
  const keys = algorithm === 'RS256' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateEllipticKeys();
  const kid = randomUUID();
  return {
    publicKey: { ...keys.publicKey.export({ format: 'jwk' }), kid },
    sign: (claims) => signToken(claims, { algorithm, kid, key: keys.privateKey }),
  };
}

export interface SigningKey {
  readonly algorithm: 'RS256' | 'ES256';
  readonly kid: string;
  readonly key: KeyObject;
}

export function signToken(claims: Readonly<Record<string, unknown>>, { algorithm, kid, key }: SigningKey): string {
  const signed = `${encode({ alg: algorithm, kid, typ: 'JWT' })}.${encode(claims)}`;
  const signature = createSign('sha256').update(signed).sign({ key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

function generateEllipticKeys(): ReturnType<typeof generateKeyPairSync> {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function encode(part: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

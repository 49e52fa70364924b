import { verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { ClusterKeys } from './cluster-keys.ts';
import { readClaims } from './read-claims.ts';
import type { ServiceAccountClaims } from './read-claims.ts';

/** The owner of a token, proven by the cluster's signature. */
export interface TokenOwner {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly serviceAccountUid: string;
}

/** `undefined`: not proven. The token may still be valid; the cloud has to decide about it. */
export async function verifyToken(token: string, keys: ClusterKeys, nowMs: number): Promise<TokenOwner | undefined> {
  const claims = readClaims(token);
  if (claims === undefined || nowMs < claims.notBeforeMs || nowMs >= claims.expiresAtMs) return undefined;
  const issuer = await keys.issuerOf(claims.keyId);
  const key = issuer?.keys.get(claims.keyId);
  if (issuer === undefined || key === undefined || issuer.name !== claims.issuer) return undefined;
  if (!isSignedBy(claims, key)) return undefined;
  const { audiences, namespace, serviceAccount, serviceAccountUid } = claims;
  return { issuer: issuer.name, audiences, namespace, serviceAccount, serviceAccountUid };
}

interface Algorithm {
  readonly hash: string;
  readonly keyType: string;
  readonly curve?: string;
}

/** The algorithms of an API server. A token can only choose one of them, and the key must be of its type. */
const algorithms: ReadonlyMap<string, Algorithm> = new Map([
  ['RS256', { hash: 'sha256', keyType: 'rsa' }],
  ['ES256', { hash: 'sha256', keyType: 'ec', curve: 'prime256v1' }],
  ['ES384', { hash: 'sha384', keyType: 'ec', curve: 'secp384r1' }],
  ['ES512', { hash: 'sha512', keyType: 'ec', curve: 'secp521r1' }],
]);

function isSignedBy({ algorithm: name, signingInput, signature }: ServiceAccountClaims, key: KeyObject): boolean {
  const algorithm = algorithms.get(name);
  if (algorithm === undefined || key.asymmetricKeyType !== algorithm.keyType) return false;
  if (key.asymmetricKeyDetails?.namedCurve !== algorithm.curve) return false;
  return verify(algorithm.hash, Buffer.from(signingInput), { key, dsaEncoding: 'ieee-p1363' }, signature);
}

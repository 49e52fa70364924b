import { createTokenSigner } from '../../../lab/clouds/token-signer.ts';
import type { TokenSigner } from '../../../lab/clouds/token-signer.ts';

/** A cluster that signs service account tokens, and serves its keys at its API server. */
export interface SigningCluster {
  readonly signer: TokenSigner;
  readonly issuer: string;
  /** By path. */
  readonly documents: Readonly<Record<string, unknown>>;
  sign(claims: PodClaims): string;
}

export interface PodClaims {
  readonly serviceAccount?: string;
  readonly uid?: string;
  readonly audience?: string | readonly string[];
  readonly expiresAtMs: number;
  readonly notBeforeMs?: number;
  readonly issuer?: string;
  /** Makes two tokens of the same pod different. */
  readonly id?: string;
}

export function createSigningCluster(algorithm: 'RS256' | 'ES256', issuer: string): SigningCluster {
  const signer = createTokenSigner(algorithm);
  return {
    signer,
    issuer,
    documents: {
      '/.well-known/openid-configuration': { issuer, jwks_uri: 'https://10.0.0.1/openid/v1/jwks' },
      '/openid/v1/jwks': { keys: [{ ...signer.publicKey, use: 'sig', alg: algorithm }] },
    },
    sign: (claims) => signer.sign(claimsOf(claims, issuer)),
  };
}

/** As the API server writes them for a pod. */
export function claimsOf(claims: PodClaims, issuer: string): Readonly<Record<string, unknown>> {
  const { serviceAccount = 'puller', uid = `uid of ${serviceAccount}`, audience = 'sts.amazonaws.com' } = claims;
  return {
    aud: [audience].flat(),
    exp: Math.floor(claims.expiresAtMs / 1_000),
    nbf: Math.floor((claims.notBeforeMs ?? claims.expiresAtMs - 3_600_000) / 1_000),
    iss: claims.issuer ?? issuer,
    jti: claims.id ?? 'one',
    sub: `system:serviceaccount:default:${serviceAccount}`,
    'kubernetes.io': {
      namespace: 'default',
      pod: { name: 'web', uid: 'pod-uid' },
      serviceaccount: { name: serviceAccount, uid },
    },
  };
}

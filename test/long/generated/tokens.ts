import type { GeneratedCloudName } from './hosts.ts';
import { secretText } from './odd-values.ts';
import { clientId, poolProvider } from './roles.ts';
import type { Random } from '../../support/random.ts';

/** Looks signed; nothing here verifies signatures. The marker is in a claim and in the signature. */
export function signedToken(random: Random, claims: object, signatureLength: number): string {
  const parts = [
    { alg: 'RS256', kid: 'lab' },
    { ...claims, jti: secretText(random, '', 24) },
  ];
  const encoded = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  return [...encoded, secretText(random, '', signatureLength).replaceAll(/[+/]/g, '_')].join('.');
}

/** As an issuer makes it for a registry's cloud to believe. */
export function federationToken(random: Random, cloud: GeneratedCloudName): string {
  const exp = nowS() + 3_600;
  const isCluster = cloud === 'gcp' && random.chance(0.3);
  const iss = isCluster ? clusterIssuer : 'https://oidc.lab.example';
  const aud = isCluster ? 'lab-project.svc.id.goog' : audiences[cloud];
  const claims = { iss, sub: 'system:serviceaccount:default:app', aud: random.chance(0.5) ? [aud] : aud, exp };
  return signedToken(random, claims, random.between(20, 700));
}

const clusterIssuer = 'https://container.googleapis.com/v1/projects/lab-project/locations/us-central1/clusters/lab';

export const audiences: Readonly<Record<GeneratedCloudName, string>> = {
  aws: 'sts.amazonaws.com',
  azure: 'api://AzureADTokenExchange',
  gcp: `https://iam.googleapis.com/${poolProvider}`,
};

/** Entra's are signed; their audience may be another cloud. */
export function entraTokenText(random: Random, audience: string): string {
  return signedToken(random, { aud: audience, appid: clientId, exp: nowS() + 3_600 }, 300);
}

/** Google's are opaque. */
export function googleTokenText(random: Random): string {
  return secretText(random, 'ya29.', 180);
}

/** Whole seconds, so that the length of an answer does not hang on the moment. */
export function nowS(): number {
  return Math.floor(Date.now() / 1_000);
}

import type { Identity } from '../../../clouds/cloud.ts';
import { Secret } from '../../../lib/secret.ts';
import { exchangeAudience, labIssuer, podSubject } from '../../lab/clouds/azure/state.ts';
import type { TokenSigner } from '../../lab/clouds/token-signer.ts';

export const clientKey = 'kubernetes.azure.com/acr-client-id';
export const tenantKey = 'kubernetes.azure.com/acr-tenant-id';

type Claims = Readonly<Record<string, unknown>>;

/** As the API server mints it for a pod that runs under the service account `default/puller`. */
export function podToken(signer: TokenSigner, claims: Claims): string {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  return signer.sign({ iss: labIssuer, sub: podSubject, aud: [exchangeAudience], exp, ...claims });
}

export function podIdentityOf(signer: TokenSigner, role: Readonly<Record<string, string>>, claims: Claims): Identity {
  return { kind: 'token', token: new Secret(podToken(signer, claims)), role };
}

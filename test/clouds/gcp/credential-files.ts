import { generateKeyPairSync } from 'node:crypto';
import type { GcpState } from '../../lab/clouds/gcp/state.ts';
import { labIssuer, nodeAccount, providerName, pullerSubject } from '../../lab/clouds/gcp/state.ts';
import type { LabCloud } from '../../lab/clouds/lab-cloud.ts';
import { createTokenSigner } from '../../lab/clouds/token-signer.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const signer = createTokenSigner('RS256');

/** The key of a service account, as Google writes it to a file. The addresses in it must have no effect. */
export const keyFile = {
  type: 'service_account',
  project_id: 'lab-project',
  private_key_id: '1',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  client_email: nodeAccount,
  token_uri: 'https://evil.example/token',
};

/** Workload identity federation with a token of the cluster in `/var/run/token`. */
export const externalFile = {
  type: 'external_account',
  audience: `//iam.googleapis.com/${providerName}`,
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://evil.example/v1/token',
  credential_source: { file: '/var/run/token' },
};

/** A service account token of the cluster. */
export function clusterToken(): string {
  const nowS = Math.floor(Date.now() / 1000);
  const aud = `https://iam.googleapis.com/${providerName}`;
  return signer.sign({ iss: labIssuer, aud, sub: pullerSubject, iat: nowS, exp: nowS + 3600 });
}

/** Lets the lab know the key and the issuer of the tokens. */
export async function trustFiles(lab: LabCloud<GcpState>): Promise<void> {
  const state = await lab.state();
  const account = state.serviceAccounts[nodeAccount];
  const name = `//iam.googleapis.com/${providerName}`;
  const provider = state.providers[name];
  if (account === undefined || provider === undefined) throw new Error('the lab has changed');
  await lab.update({
    serviceAccounts: { [nodeAccount]: { ...account, keys: [publicKey.export({ format: 'jwk' })] } },
    providers: { [name]: { ...provider, keys: [signer.publicKey] } },
  });
}

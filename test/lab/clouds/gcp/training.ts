import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority } from '../../authority.ts';
import { gcp } from './cloud.ts';
import { labIssuer, nodeAccount, podAccount, providerName, pullerSubject } from './state.ts';
import type { GcpState } from './state.ts';
import type { LabCloud } from '../lab-cloud.ts';
import { runOnLoopback } from '../loopback.ts';
import { createTokenSigner } from '../token-signer.ts';
import { findProgram } from '../../../../build/executables/emulation.ts';
import type { TrainingEnvironment } from '../../../../build/executables/training-run.ts';

/** The embedded Google with an instance that has a service account. */
export async function startGcp(): Promise<TrainingEnvironment> {
  const { environment } = await start();
  return { ...environment, args: [] };
}

/** The same for a pod, which is let in by a pool and becomes a service account. */
export async function startGcpForPod(): Promise<TrainingEnvironment> {
  const started = await start();
  const { lab, environment } = started;
  const signer = createTokenSigner('ES256');
  const name = `//iam.googleapis.com/${providerName}`;
  const provider = (await lab.state()).providers[name];
  if (provider === undefined) throw new Error(`the embedded Google has no ${name}`);
  await lab.update({ providers: { [name]: { ...provider, keys: [signer.publicKey] } } });
  const expiresAtS = Math.ceil(Date.now() / 1_000) + tokenLifeS;
  const claims = { iss: labIssuer, aud: [name], sub: pullerSubject, exp: expiresAtS };
  const request = {
    serviceAccountToken: signer.sign(claims),
    serviceAccountAnnotations: { 'iam.gke.io/gcp-service-account': podAccount },
  };
  return started.hasTls ? { ...environment, request } : environment;
}

/** The same for a node elsewhere, which has a key. */
export async function startGcpWithKey(): Promise<TrainingEnvironment> {
  const { lab, directory, environment, hasTls } = await start();
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const account = (await lab.state()).serviceAccounts[nodeAccount];
  if (account === undefined) throw new Error(`the embedded Google has no ${nodeAccount}`);
  await lab.update({ serviceAccounts: { [nodeAccount]: { ...account, keys: [publicKey.export({ format: 'jwk' })] } } });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const file = join(directory, 'key.json');
  await writeFile(file, JSON.stringify({ type: 'service_account', client_email: nodeAccount, private_key: pem }));
  return hasTls ? { ...environment, env: { ...environment.env, GOOGLE_APPLICATION_CREDENTIALS: file } } : environment;
}

const tokenLifeS = 3_600;

interface TrainingCloud {
  readonly lab: LabCloud<GcpState>;
  /** For more files; it goes when the lab is stopped. */
  readonly directory: string;
  /** Do its APIs speak TLS? Without `openssl` they cannot, and then they are not asked. */
  readonly hasTls: boolean;
  readonly environment: TrainingEnvironment;
}

async function start(): Promise<TrainingCloud> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-training-'));
  const authority = findProgram('openssl') === undefined ? undefined : await createAuthority(directory);
  const tls = await authority?.issue('gcp', ['127.0.0.1']);
  const lab = await runOnLoopback(gcp, { plain: ['metadata'], ...(tls && { tls }) });
  const file = join(directory, 'config.yaml');
  if (authority !== undefined) await writeFile(file, configFor(lab));
  const env = {
    GCE_METADATA_HOST: lab.url('metadata').replace('http://', ''),
    ...(authority && { SSL_CERT_FILE: authority.certificateFile }),
  };
  const stop = async (): Promise<void> => {
    await lab.stop();
    await rm(directory, { recursive: true });
  };
  const args = authority === undefined ? [] : ['--config', file];
  return { lab, directory, hasTls: authority !== undefined, environment: { env, args, stop } };
}

function configFor(lab: LabCloud<GcpState>): string {
  const endpoints = { sts: lab.url('sts'), iamCredentials: lab.url('iam-credentials'), oauth2: lab.url('oauth2') };
  return JSON.stringify({ gcp: { endpoints } });
}

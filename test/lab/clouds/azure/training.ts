import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority } from '../../authority.ts';
import { azure } from './cloud.ts';
import type { AzureState } from './state.ts';
import { exchangeAudience, labApplication, labIssuer, labSecret, labTenant, podIdentity, podSubject } from './state.ts';
import type { LabCloud } from '../lab-cloud.ts';
import { runOnLoopback } from '../loopback.ts';
import { createTokenSigner } from '../token-signer.ts';
import { openNameProxy } from '../../name-proxy.ts';
import { findProgram } from '../../../../build/executables/emulation.ts';
import type { TrainingEnvironment } from '../../../../build/executables/training-run.ts';

/** The embedded Azure with a machine that has a managed identity. */
export async function startAzure(): Promise<TrainingEnvironment> {
  return (await start()).environment;
}

/** The same with an application that has a secret, which the SDK is needed for. */
export async function startAzureWithSecret(): Promise<TrainingEnvironment> {
  const { environment } = await start();
  const env = { AZURE_CLIENT_ID: labApplication, AZURE_TENANT_ID: labTenant, AZURE_CLIENT_SECRET: labSecret };
  return { ...environment, env: { ...environment.env, ...env } };
}

/** The same for a pod, whose token an application takes as proof. */
export async function startAzureForPod(): Promise<TrainingEnvironment> {
  const { lab, environment } = await start();
  if (lab === undefined) return environment;
  const signer = createTokenSigner('ES256');
  await lab.update({ issuers: { [labIssuer]: { keys: [signer.publicKey] } } });
  const exp = Math.ceil(Date.now() / 1_000) + tokenLifeS;
  const request = {
    serviceAccountToken: signer.sign({ iss: labIssuer, aud: [exchangeAudience], sub: podSubject, exp }),
    serviceAccountAnnotations: {
      'kubernetes.azure.com/acr-client-id': podIdentity,
      'kubernetes.azure.com/acr-tenant-id': labTenant,
    },
  };
  return { ...environment, request };
}

const tokenLifeS = 3_600;
const unmatchedImage = { image: 'registry.example/app:1' };
const registry = 'acme.azurecr.io';
const authority = 'login.microsoftonline.com';

interface TrainingCloud {
  /** Absent where there is no `openssl`: Azure's services have no other names than those that TLS is needed for. */
  readonly lab?: LabCloud<AzureState>;
  readonly environment: TrainingEnvironment;
}

async function start(): Promise<TrainingCloud> {
  if (findProgram('openssl') === undefined) return { environment: { request: unmatchedImage, stop } };
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-training-'));
  const trusted = await createAuthority(directory);
  const lab = await runOnLoopback(azure, { plain: ['imds'], tls: await trusted.issue('azure', [registry, authority]) });
  const targets: Readonly<Record<string, string>> = { [registry]: lab.url('registry'), [authority]: lab.url('entra') };
  const proxy = await openNameProxy((host) => targets[host]);
  const env = {
    AZURE_POD_IDENTITY_AUTHORITY_HOST: lab.url('imds'),
    HTTPS_PROXY: proxy.url,
    SSL_CERT_FILE: trusted.certificateFile,
  };
  const stopAll = async (): Promise<void> => {
    await proxy.close();
    await lab.stop();
    await rm(directory, { recursive: true });
  };
  return { lab, environment: { env, stop: stopAll } };
}

/** Nothing was started. */
function stop(): Promise<void> {
  return Promise.resolve();
}

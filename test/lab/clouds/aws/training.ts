import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authority } from '../../authority.ts';
import { createAuthority } from '../../authority.ts';
import { aws } from './cloud.ts';
import type { AwsState } from './state.ts';
import { labIssuer } from './state.ts';
import type { LabCloud } from '../lab-cloud.ts';
import { runOnLoopback } from '../loopback.ts';
import { createTokenSigner } from '../token-signer.ts';
import { findProgram } from '../../../../build/executables/emulation.ts';
import type { TrainingEnvironment } from '../../../../build/executables/training-run.ts';

/** The embedded AWS with an instance role and both registries. */
export async function startAws(): Promise<TrainingEnvironment> {
  return (await start()).environment;
}

/** The same with a shared configuration file that has no credentials. */
export async function startAwsWithFile(): Promise<TrainingEnvironment> {
  const { directory, environment } = await start();
  const file = join(directory, 'config');
  await writeFile(file, '[default]\nregion = us-west-2\n');
  return { ...environment, env: { ...environment.env, AWS_CONFIG_FILE: file } };
}

/** The same for a pod: its service account's token is good for a role. */
export async function startAwsForPod(): Promise<TrainingEnvironment> {
  const { lab, environment } = await start();
  const signer = createTokenSigner('ES256');
  const audience = 'sts.amazonaws.com';
  await lab.update({ issuers: { [labIssuer]: { audiences: [audience], keys: [signer.publicKey] } } });
  const expiresAtS = Math.ceil(Date.now() / 1_000) + tokenLifeS;
  const claims = { iss: labIssuer, aud: [audience], sub: 'system:serviceaccount:default:puller', exp: expiresAtS };
  const request = {
    serviceAccountToken: signer.sign(claims),
    serviceAccountAnnotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/lab-pod' },
  };
  return { ...environment, request };
}

const tokenLifeS = 3_600;

interface TrainingCloud {
  readonly lab: LabCloud<AwsState>;
  /** For more files; it goes when the lab is stopped. */
  readonly directory: string;
  readonly environment: TrainingEnvironment;
}

/**
 * It speaks TLS as AWS does, unless there is no `openssl` to make its certificates with: then the few functions for TLS
 * are compiled at each start instead.
 */
async function start(): Promise<TrainingCloud> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-training-'));
  const authority = findProgram('openssl') === undefined ? undefined : await createAuthority(directory);
  const tls = await authority?.issue('aws', ['127.0.0.1']);
  const lab = await runOnLoopback(aws, { plain: ['imds'], ...(tls && { tls }) });
  const env = {
    AWS_EC2_METADATA_SERVICE_ENDPOINT: lab.url('imds'),
    AWS_ENDPOINT_URL_ECR: lab.url('ecr'),
    AWS_ENDPOINT_URL_ECR_PUBLIC: lab.url('ecr-public'),
    AWS_ENDPOINT_URL_STS: lab.url('sts'),
    ...trustVariables(authority),
  };
  const stop = async (): Promise<void> => {
    await lab.stop();
    await rm(directory, { recursive: true });
  };
  return { lab, directory, environment: { env, stop } };
}

function trustVariables(authority: Authority | undefined): Readonly<Record<string, string>> {
  return authority === undefined ? {} : { SSL_CERT_FILE: authority.certificateFile };
}

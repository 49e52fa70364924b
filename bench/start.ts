import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Architecture } from '../build/architecture.ts';
import { executablePath } from '../build/executables/executable.ts';
import { programs } from '../build/executables/programs.ts';
import { createAuthority } from '../test/lab/authority.ts';
import { aws } from '../test/lab/clouds/aws/cloud.ts';
import { runOnLoopback } from '../test/lab/clouds/loopback.ts';
import type { Bench, PreparedBench } from './harness/bench.ts';
import type { Variant } from './harness/variant.ts';

const bareNode = 'bare node';
const overHttp = 'credential provider, ECR over HTTP';
const overHttps = 'credential provider, ECR over HTTPS';

/** How much longer than Node itself our executables take to start, and to answer the kubelet with nothing kept warm. */
export const start: Bench = {
  rounds: { warmUp: 5, wall: 100, atOutput: 20 },
  baseline: bareNode,
  gates: [
    ...programs.map(({ name }) => gate(`${name} --version`, 1.3)),
    gate(overHttp, 3),
    gate(overHttps, 3),
    { variant: overHttps, metric: 'rssAnonKb', atMost: 20 * 1024 },
  ],
  prepare,
};

function gate(variant: string, atMost: number) {
  return { variant, metric: 'wallMs', dividedBy: bareNode, atMost } as const;
}

async function prepare(): Promise<PreparedBench> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-bench-'));
  const authority = await createAuthority(directory);
  const tls = await authority.issue('aws', ['127.0.0.1']);
  const [http, https] = [
    await runOnLoopback(aws, { plain: Object.keys(aws.services) }),
    await runOnLoopback(aws, { plain: ['imds'], tls }),
  ];
  const stdinFile = join(directory, 'request.json');
  await writeFile(stdinFile, JSON.stringify(request));
  const answer = (name: string, lab: typeof http): Variant => ({
    ...program('polycloud-credential-provider', name, []),
    stdinFile,
    env: {
      AWS_EC2_METADATA_SERVICE_ENDPOINT: lab.url('imds'),
      AWS_ENDPOINT_URL_ECR: lab.url('ecr'),
      SSL_CERT_FILE: authority.certificateFile,
    },
  });
  return {
    variants: [...(await startVariants(directory)), answer(overHttp, http), answer(overHttps, https)],
    stop: async () => {
      await Promise.all([http.stop(), https.stop()]);
      await rm(directory, { recursive: true });
    },
  };
}

async function startVariants(directory: string): Promise<readonly Variant[]> {
  const script = join(directory, 'bare.cjs');
  // One byte, so that there is a moment to look at its memory.
  await writeFile(script, "require('node:fs').writeSync(1, '\\n');");
  return [
    { name: '/bin/true', file: '/bin/true', args: [], env: {}, answers: false },
    { name: bareNode, file: process.execPath, args: [script], env: {}, answers: true },
    ...programs.map(({ name }) => program(name, `${name} --version`, ['--version'])),
  ];
}

function program(file: string, name: string, args: readonly string[]): Variant {
  return { name, file: executablePath(file, process.arch as Architecture), args, env: {}, answers: true };
}

const request = {
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  kind: 'CredentialProviderRequest',
  image: '123456789012.dkr.ecr.us-west-2.amazonaws.com/app:1',
};

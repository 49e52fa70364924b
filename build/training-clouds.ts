import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authority } from '../test/lab/authority.ts';
import { createAuthority } from '../test/lab/authority.ts';
import { aws } from '../test/lab/clouds/aws/cloud.ts';
import { runOnLoopback } from '../test/lab/clouds/loopback.ts';
import { findProgram } from './emulation.ts';
import type { Surroundings } from './programs.ts';

/**
 * The embedded AWS with an instance role and both registries. It speaks TLS as AWS does, unless there is no `openssl` to
 * make its certificates with: then the few functions for TLS are compiled at each start instead.
 */
export async function startAws(): Promise<Surroundings> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-training-'));
  const authority = findProgram('openssl') === undefined ? undefined : await createAuthority(directory);
  const tls = await authority?.issue('aws', ['127.0.0.1']);
  const lab = await runOnLoopback(aws, { plain: ['imds'], ...(tls && { tls }) });
  return {
    env: {
      AWS_EC2_METADATA_SERVICE_ENDPOINT: lab.url('imds'),
      AWS_ENDPOINT_URL_ECR: lab.url('ecr'),
      AWS_ENDPOINT_URL_ECR_PUBLIC: lab.url('ecr-public'),
      ...trust(authority),
    },
    stop: async () => {
      await lab.stop();
      await rm(directory, { recursive: true });
    },
  };
}

function trust(authority: Authority | undefined): Readonly<Record<string, string>> {
  return authority === undefined ? {} : { SSL_CERT_FILE: authority.certificateFile };
}

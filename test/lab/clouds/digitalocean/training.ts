import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../../../build/executables/emulation.ts';
import type { TrainingEnvironment } from '../../../../build/executables/training-run.ts';
import { createAuthority } from '../../authority.ts';
import { runOnLoopback } from '../loopback.ts';
import { digitalocean } from './cloud.ts';
import { labToken } from './state.ts';

/** The embedded DigitalOcean with a token. Without `openssl` it has no TLS, and then it is not asked. */
export async function startDigitalocean(): Promise<TrainingEnvironment> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-training-'));
  const authority = findProgram('openssl') === undefined ? undefined : await createAuthority(directory);
  const tls = await authority?.issue('digitalocean', ['127.0.0.1']);
  const lab = await runOnLoopback(digitalocean, { plain: ['metadata'], ...(tls && { tls }) });
  const stop = async (): Promise<void> => {
    await lab.stop();
    await rm(directory, { recursive: true });
  };
  if (authority === undefined) return { env: {}, args: [], stop };
  const file = join(directory, 'config.yaml');
  await writeFile(file, JSON.stringify({ digitalocean: { endpoint: lab.url('api') } }));
  const env = { SSL_CERT_FILE: authority.certificateFile, DIGITALOCEAN_ACCESS_TOKEN: labToken };
  return { env, args: ['--config', file], stop };
}

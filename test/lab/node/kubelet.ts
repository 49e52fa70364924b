import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { CertificateFiles } from '../authority.ts';
import type { PartProgram } from '../control-plane/processes.ts';
import { containerdSocket } from './containerd.ts';
import type { PluginFiles } from './plugins.ts';

export interface KubeletOptions {
  readonly file: string;
  readonly directory: string;
  readonly kubeconfig: string;
  readonly clientAuthorityFile: string;
  readonly serving: CertificateFiles;
  readonly plugins: PluginFiles | undefined;
  readonly extraArguments: readonly string[];
  readonly environmentFile: string | undefined;
}

export const kubeletHealthUrl = 'http://127.0.0.1:10248/healthz';

export async function kubeletProgram(options: KubeletOptions): Promise<PartProgram> {
  const config = join(options.directory, 'kubelet.yaml');
  await writeFile(config, stringify(configuration(options)));
  const { kubeconfig, plugins } = options;
  const flags = { config, kubeconfig, 'cloud-provider': 'external', ...(plugins && pluginFlags(plugins)) };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  return withEnvironmentFile(options.environmentFile, {
    file: options.file,
    args: [...args, ...options.extraArguments],
  });
}

/** As systemd does it: the file may be missing, and is read at each start. */
function withEnvironmentFile(environmentFile: string | undefined, program: PartProgram): PartProgram {
  if (environmentFile === undefined) return program;
  const script = '[ ! -e "$0" ] || . "$0"; exec "$@" $KUBELET_EXTRA_ARGS';
  return { file: '/bin/sh', args: ['-c', script, environmentFile, program.file, ...program.args] };
}

function pluginFlags({ configDirectory, programDirectory }: PluginFiles): Readonly<Record<string, string>> {
  return {
    'image-credential-provider-config': configDirectory,
    'image-credential-provider-bin-dir': programDirectory,
  };
}

function configuration({ serving, clientAuthorityFile }: KubeletOptions): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${containerdSocket}`,
    tlsCertFile: serving.certificateFile,
    tlsPrivateKeyFile: serving.keyFile,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: clientAuthorityFile },
    },
    authorization: { mode: 'Webhook' },
    // The machines this runs on have no systemd, or it is none of our business.
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    failSwapOn: false,
    // A developer's disk may be nearly full.
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '1%',
      'imagefs.available': '1%',
      'nodefs.inodesFree': '1%',
    },
  };
}

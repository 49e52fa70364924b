import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PartProgram } from '../control-plane/processes.ts';

/** Where Debian's package containernetworking-plugins has them. */
const networkPluginDirectory = '/usr/lib/cni';

export const pauseImage = 'docker.io/lab/pause:1';

/** The pods' addresses. */
const podRange = '10.244.0.0/24';

export async function containerdProgram(directory: string): Promise<PartProgram> {
  const networks = join(directory, 'networks');
  await mkdir(networks);
  await writeFile(join(networks, '10-lab.conflist'), JSON.stringify(podNetwork));
  const file = join(directory, 'containerd.toml');
  await writeFile(file, settings(networks));
  return { file: '/usr/bin/containerd', args: ['--config', file] };
}

function settings(networks: string): string {
  return `
version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "${containerdSocket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  # Without CAP_SYS_RESOURCE nobody may ask to be spared.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${networkPluginDirectory}"
    conf_dir = "${networks}"
`;
}

export const containerdSocket = '/run/containerd/containerd.sock';

const podNetwork = {
  cniVersion: '1.0.0',
  name: 'lab',
  plugins: [
    {
      type: 'bridge',
      bridge: 'cni0',
      isGateway: true,
      ipam: { type: 'host-local', ranges: [[{ subnet: podRange }]], routes: [{ dst: '0.0.0.0/0' }] },
    },
  ],
};

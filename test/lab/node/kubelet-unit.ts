import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { waitUntil } from '../control-plane/wait-until.ts';
import type { EmbeddedName } from '../clouds/embedded.ts';
import type { LabNode } from './lab-node.ts';

/**
 * Hands the kubelet of a node with systemd over to it, in a unit as kubeadm's packages have it:
 * https://github.com/kubernetes/release/tree/master/cmd/krel/templates/latest. Settles when the Node is Ready by it.
 */
export async function runKubeletAsUnit<Name extends EmbeddedName>(node: LabNode<Name>): Promise<void> {
  const commandLine = await readFile(`/proc/${String(node.pid('kubelet'))}/cmdline`, 'utf8');
  await node.stopPart('kubelet');
  const command = commandLine.split('\0').slice(0, -1).join(' ');
  const files = {
    '/etc/systemd/system/kubelet.service': unit(command, join(node.logDirectory, 'kubelet.log')),
    '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf': dropIn,
    '/etc/systemd/system/kubelet.service.d/10-kubeadm.conf': dropIn,
    '/var/lib/kubelet/kubeadm-flags.env': '',
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(node.path(path)), { recursive: true });
    await writeFile(node.path(path), text);
  }
  for (const args of [['daemon-reload'], ['enable', 'kubelet.service'], ['start', 'kubelet.service']]) {
    const { code, stderr } = await node.run('/usr/bin/systemctl', args, { env: {}, input: '', timeoutMs: 60_000 });
    if (code !== 0) throw new Error(`systemctl ${args.join(' ')}: ${stderr}`);
  }
  await waitUntil({ what: 'the Node is Ready', withinMs: 60_000, everyMs: 100 }, async () => {
    const { conditions = [] } = (await node.getNode()).status;
    return conditions.some(({ type, status }) => type === 'Ready' && status === 'True') ? true : undefined;
  });
}

const dropIn = '[Service]\nEnvironmentFile=-/etc/default/kubelet\n';

function unit(command: string, logFile: string): string {
  return `[Unit]
Description=kubelet: The Kubernetes Node Agent
StartLimitIntervalSec=0

[Service]
ExecStart=${command} $KUBELET_EXTRA_ARGS
Restart=always
RestartSec=10
StandardOutput=append:${logFile}
StandardError=append:${logFile}

[Install]
WantedBy=multi-user.target
`;
}

import { bootCloudNode } from '../node/cloud-node.ts';
import type { LabNode } from '../node/lab-node.ts';

/** Where the kubelet's service of kubeadm's packages looks for flags. */
const environmentFile = '/etc/default/kubelet';

/** A node of kubeadm at AWS with nothing of ours: its kubelet has no flags for credential providers. */
export async function bootEmptyNode(): Promise<LabNode<'aws'>> {
  const node = await bootCloudNode('aws', { plugin: 'none', kubeletEnvironmentFile: environmentFile });
  try {
    // `kubeadm join` writes it.
    await runShell(node, 'echo KUBELET_KUBEADM_ARGS= > /var/lib/kubelet/kubeadm-flags.env');
    return node;
  } catch (error) {
    await node.stop();
    throw error;
  }
}

/** As root of the node. Returns what it prints. */
async function runShell({ run }: Pick<LabNode<'aws'>, 'run'>, script: string): Promise<string> {
  const { code, stdout, stderr } = await run('/bin/sh', ['-ec', script], { env: {}, input: '', timeoutMs: 60_000 });
  if (code !== 0) throw new Error(`${script}: ${stderr}`);
  return stdout;
}

/** As `systemctl restart kubelet` does it there. */
export async function restartKubelet(node: LabNode<'aws'>): Promise<string> {
  await node.stopPart('kubelet');
  await node.startPart('kubelet');
  return runShell(node, `cat ${environmentFile}`);
}

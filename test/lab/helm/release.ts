import { chartDirectory, release, runHelm } from './chart.ts';
import type { Values } from './chart.ts';
import { labUserKey } from '../clouds/aws/state.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';

/** The authorities that the node trusts, which the lab's clouds need. */
export const trustOfNode = {
  extraVolumes: [{ name: 'trust', hostPath: { path: '/etc/ssl/certs' } }],
  extraVolumeMounts: [{ name: 'trust', mountPath: '/etc/ssl/certs', readOnly: true }],
};

/** The guide's values for AWS with a Secret's keys. Only intervals and trusted authorities differ. */
export const awsValues = {
  clouds: ['aws'],
  agent: { extraArgs: ['--node-status-update-frequency=500ms'] },
  ccm: {
    ...trustOfNode,
    status: { readers: [{ name: 'status-reader', namespace: 'kube-system' }] },
    extraArgs: ['--node-monitor-period=500ms', '--node-status-update-frequency=1s'],
    extraEnv: [
      { name: 'AWS_REGION', value: 'us-west-2' },
      { name: 'AWS_ACCESS_KEY_ID', value: labUserKey.accessKeyId },
      { name: 'AWS_SECRET_ACCESS_KEY', value: labUserKey.secretAccessKey },
    ],
  },
};

/** Longer than any of these commands takes on a busy machine. */
const waitMinutes = 4;

/** Real Helm, with the chart as it is in the tree. With `values` for commands that take the chart. Returns its output. */
export async function helm(
  command: readonly string[],
  { adminKubeconfig }: ControlPlane,
  values?: Values,
): Promise<string> {
  const chart = values === undefined ? [] : [chartDirectory];
  const place = ['--namespace', release.namespace, '--kubeconfig', adminKubeconfig];
  const [name = '', ...flags] = command;
  const timeout = ['--timeout', `${String(waitMinutes)}m`];
  const args = [name, release.name, ...chart, ...flags, ...place, ...timeout];
  const { code, stdout, stderr } = await runHelm(args, values, waitMinutes * 60_000 + 30_000);
  if (code !== 0) throw new Error(`helm ${command.join(' ')}: ${stderr}`);
  return stdout;
}

import { chartDirectory, release, runHelm } from '../../charts/chart.ts';
import type { Values } from '../../charts/chart.ts';
import { labUserKey } from '../../../lab/clouds/aws/state.ts';
import type { ControlPlane } from '../../../lab/control-plane/control-plane.ts';

/** The guide's values for AWS with a Secret's keys. Only intervals and trusted authorities differ. */
const values = {
  clouds: ['aws'],
  agent: { extraArgs: ['--node-status-update-frequency=500ms'] },
  ccm: {
    extraArgs: ['--node-monitor-period=500ms', '--node-status-update-frequency=1s'],
    extraEnv: [
      { name: 'AWS_REGION', value: 'us-west-2' },
      { name: 'AWS_ACCESS_KEY_ID', value: labUserKey.accessKeyId },
      { name: 'AWS_SECRET_ACCESS_KEY', value: labUserKey.secretAccessKey },
    ],
    extraVolumes: [{ name: 'trust', hostPath: { path: '/etc/ssl/certs' } }],
    extraVolumeMounts: [{ name: 'trust', mountPath: '/etc/ssl/certs', readOnly: true }],
  },
};

/** Real Helm installs the chart as it is in the tree. */
export async function installChart({ adminKubeconfig }: ControlPlane): Promise<void> {
  await helm('install', adminKubeconfig, values);
}

/** Only with the controller's log level changed. */
export async function upgradeChart({ adminKubeconfig }: ControlPlane, verbosity: number): Promise<void> {
  await helm('upgrade', adminKubeconfig, { ...values, ccm: { ...values.ccm, verbosity } });
}

async function helm(command: string, kubeconfig: string, given: Values): Promise<void> {
  const location = ['--namespace', release.namespace, '--kubeconfig', kubeconfig];
  const { code, stderr } = await runHelm([command, release.name, chartDirectory, ...location], given);
  if (code !== 0) throw new Error(`helm ${command}: ${stderr}`);
}

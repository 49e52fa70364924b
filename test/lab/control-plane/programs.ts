import { fileURLToPath } from 'node:url';
import type { GoModule } from '../../../build/go-programs/go-module.ts';

export const programNames = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kubelet',
] as const;
export type ProgramName = (typeof programNames)[number];

/** By name, where each of them is. */
export type Programs = Readonly<Record<ProgramName, string>>;

const kubernetesVersion = '1.37.1';
const etcdVersion = '3.7.3';

export const programModules: readonly GoModule[] = [
  {
    name: 'etcd',
    version: etcdVersion,
    acceptedVersion: /^3\.7\.\d+$/,
    directory: fileURLToPath(new URL('modules/etcd', import.meta.url)),
    linkerFlags: '-s -w',
    packages: { etcd: 'go.etcd.io/etcd/server/v3' },
    versionArguments: {},
  },
  {
    name: 'kubernetes',
    version: kubernetesVersion,
    acceptedVersion: /^1\.37\.1$/,
    directory: fileURLToPath(new URL('modules/kubernetes', import.meta.url)),
    linkerFlags: `-s -w ${kubernetesVersionFlags()}`,
    packages: {
      'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
      'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
      'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
      kubectl: 'k8s.io/kubernetes/cmd/kubectl',
      kubelet: 'k8s.io/kubernetes/cmd/kubelet',
    },
    versionArguments: { kubectl: ['version', '--client'] },
  },
];

export function moduleOf(name: ProgramName): GoModule {
  const module = programModules.find(({ packages }) => packages[name] !== undefined);
  if (module === undefined) throw new Error(`No module here builds ${name}`);
  return module;
}

/** Without them a program has the version v0.0.0, also in its User-Agent. */
function kubernetesVersionFlags(): string {
  const [major = '', minor = ''] = kubernetesVersion.split('.');
  const values = { gitVersion: `v${kubernetesVersion}`, gitMajor: major, gitMinor: minor };
  return Object.entries(values)
    .flatMap(([name, value]) => [
      `-X k8s.io/component-base/version.${name}=${value}`,
      `-X k8s.io/client-go/pkg/version.${name}=${value}`,
    ])
    .join(' ');
}

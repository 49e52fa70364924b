import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What matters of the hosts of each distribution, as a tree of files. */
export interface HostTree {
  readonly [name: string]: string | HostTree;
}

const kubeletArgs = (...flags: readonly string[]): string => ['/usr/bin/kubelet', '--v=2', ...flags, ''].join('\0');

const vendorEntry = (name: string, host: string): string => `# the vendor's own
apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: ${name}
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    matchImages: ["${host}"]
    defaultCacheDuration: 12h
`;

export const hostTrees: Readonly<Record<string, HostTree>> = {
  EKS: {
    etc: {
      eks: {
        'image-credential-provider': {
          'config.json': JSON.stringify({
            apiVersion: 'kubelet.config.k8s.io/v1',
            kind: 'CredentialProviderConfig',
            providers: [{ name: 'ecr-credential-provider', matchImages: ['*.dkr.ecr.*.amazonaws.com'] }],
          }),
          'ecr-credential-provider': 'their program',
        },
      },
    },
    proc: {
      '812': {
        cmdline: kubeletArgs(
          '--image-credential-provider-bin-dir',
          '/etc/eks/image-credential-provider',
          '--image-credential-provider-config=/etc/eks/image-credential-provider/config.json',
        ),
      },
    },
  },
  AKS: {
    etc: { kubernetes: { 'azure.json': '{}' } },
    var: {
      lib: {
        kubelet: {
          'credential-provider-config.yaml': vendorEntry('acr-credential-provider', '*.azurecr.io'),
          'credential-provider': { 'acr-credential-provider': 'their program' },
        },
      },
    },
  },
  GKE: {
    etc: { srv: { kubernetes: { 'cri_auth_config.yaml': vendorEntry('auth-provider-gcp', '*.gcr.io') } } },
    home: { kubernetes: { bin: { 'auth-provider-gcp': 'their program', kubelet: 'the kubelet' } } },
  },
  'kubeadm on Debian': {
    etc: { default: {} },
    usr: {
      lib: {
        systemd: { system: { 'kubelet.service.d': { '10-kubeadm.conf': 'EnvironmentFile=-/etc/default/kubelet\n' } } },
      },
    },
    var: { lib: { kubelet: { 'kubeadm-flags.env': 'KUBELET_KUBEADM_ARGS="--node-ip=10.0.0.1"\n' } } },
    proc: { '1': { cmdline: '/sbin/init\0' }, '90': { cmdline: kubeletArgs('--cloud-provider=external') } },
  },
  'kubeadm on Fedora': {
    etc: { sysconfig: { kubelet: '# by hand\nKUBELET_EXTRA_ARGS=--cloud-provider=external\n' } },
    usr: {
      lib: {
        systemd: {
          system: { 'kubelet.service.d': { '10-kubeadm.conf': 'EnvironmentFile=-/etc/sysconfig/kubelet\n' } },
        },
      },
    },
    var: { lib: { kubelet: { 'kubeadm-flags.env': '' } } },
  },
  k3s: {
    etc: { systemd: { system: { 'k3s-agent.service': '[Service]\n' } } },
    var: { lib: { rancher: { k3s: { agent: {} } } } },
    proc: { '5': { cmdline: '/usr/local/bin/k3s agent\0' } },
  },
  RKE2: {
    usr: { lib: { systemd: { system: { 'rke2-server.service': '[Service]\n' } } } },
    var: { lib: { rancher: { rke2: { bin: {} }, k3s: {} } } },
  },
  MicroK8s: {
    var: {
      snap: { microk8s: { current: { args: { kubelet: '--kubeconfig=${SNAP_DATA}/credentials/kubelet.config\n' } } } },
    },
  },
  Talos: { etc: { 'os-release': 'NAME="Talos"\nID=talos\nVERSION_ID=v1.14.0\n' } },
  OpenShift: { etc: { 'os-release': 'ID="rhel"\n', 'machine-config-daemon': { currentconfig: '{}' } } },
  Bottlerocket: { etc: { 'os-release': 'NAME=Bottlerocket\nID=bottlerocket\n' } },
};

/** What the executables need. */
export const libraries: HostTree = {
  lib64: { 'libc.so.6': 'GLIBC_2.27\0GLIBC_2.28\0', 'libstdc++.so.6': '', 'libgcc_s.so.1': '' },
};

export function writeTree(folder: string, tree: HostTree): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(tree)) {
    const path = join(folder, name);
    if (typeof content === 'string') writeFileSync(path, content);
    else writeTree(path, content);
  }
}

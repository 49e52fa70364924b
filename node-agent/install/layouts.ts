import { parseEnvironmentFile } from './environment-file.ts';
import type { HostRoot } from './host-root.ts';

/** Where a distribution of Kubernetes has the kubelet's flags, and what an installation can do there. */
export interface Layout {
  /** As its users call it. */
  readonly name: string;
  matches(host: HostRoot): boolean;
  readonly way: LayoutWay;
}

export type LayoutWay =
  /** The vendor has set both flags, which lead here. The kubelet's service for a restart. */
  | { readonly kind: 'flags-set'; readonly paths: KubeletPaths; readonly service: string }
  /** The kubelet's service uses these paths if both exist when it starts. The first service that the host has counts. */
  | { readonly kind: 'flags-if-present'; readonly paths: KubeletPaths; readonly services: readonly string[] }
  /** The flags have to be added to a file. */
  | { readonly kind: 'add-flags'; readonly paths: KubeletPaths; readonly file: FlagFile; readonly service: string }
  /** Its files cannot be changed from outside: a text for its own configuration is printed. */
  | { readonly kind: 'print'; readonly format: 'talos' | 'openshift'; readonly paths: KubeletPaths }
  | { readonly kind: 'refuse'; readonly reason: string; readonly remedy: string };

/** The values of the kubelet's two flags. */
export interface KubeletPaths {
  /** --image-credential-provider-config */
  readonly config: string;
  /** --image-credential-provider-bin-dir */
  readonly binDirectory: string;
}

export type FlagFile =
  /** A variable in a file that systemd reads. `pathOn` finds the file. */
  | { readonly kind: 'variable'; readonly name: string; pathOn(host: HostRoot): string }
  /** One flag in each line. */
  | { readonly kind: 'lines'; readonly path: string };

/** The first that is here counts: some have the files of others too. */
export function findLayout(host: HostRoot): Layout | undefined {
  return layouts.find((layout) => layout.matches(host));
}

export const layouts: readonly Layout[] = [
  {
    name: 'Talos',
    matches: (host) => osRelease(host)['ID'] === 'talos',
    // https://www.talos.dev: constants.KubeletCredentialProviderBinDir and KubeletCredentialProviderConfig
    way: {
      kind: 'print',
      format: 'talos',
      paths: {
        config: '/etc/kubernetes/kubelet-credentialproviderconfig.yaml',
        binDirectory: '/usr/local/lib/kubelet/credentialproviders',
      },
    },
  },
  {
    name: 'Bottlerocket',
    matches: (host) => osRelease(host)['ID'] === 'bottlerocket',
    way: {
      kind: 'refuse',
      reason: 'Bottlerocket runs only the credential providers that are part of its image',
      remedy: 'set settings.kubernetes.credential-providers for its own ecr-credential-provider',
    },
  },
  {
    name: 'OpenShift',
    matches: (host) => host.kindOf('/etc/machine-config-daemon') === 'folder',
    way: {
      kind: 'print',
      format: 'openshift',
      paths: {
        // On AWS; the kubelet's flags name another file on other platforms.
        config: '/etc/kubernetes/credential-providers/ecr-credential-provider.yaml',
        binDirectory: '/usr/libexec/kubelet-image-credential-provider-plugins',
      },
    },
  },
  {
    name: 'GKE',
    matches: (host) => host.kindOf('/etc/srv/kubernetes/cri_auth_config.yaml') === 'file',
    way: {
      kind: 'flags-set',
      paths: { config: '/etc/srv/kubernetes/cri_auth_config.yaml', binDirectory: '/home/kubernetes/bin' },
      service: 'kubelet.service',
    },
  },
  {
    name: 'EKS',
    matches: (host) => host.kindOf('/etc/eks/image-credential-provider') === 'folder',
    way: {
      kind: 'flags-set',
      paths: {
        config: '/etc/eks/image-credential-provider/config.json',
        binDirectory: '/etc/eks/image-credential-provider',
      },
      service: 'kubelet.service',
    },
  },
  {
    name: 'AKS',
    matches: (host) =>
      host.kindOf('/var/lib/kubelet/credential-provider-config.yaml') === 'file' &&
      host.kindOf('/etc/kubernetes/azure.json') === 'file',
    way: {
      kind: 'flags-set',
      paths: {
        config: '/var/lib/kubelet/credential-provider-config.yaml',
        binDirectory: '/var/lib/kubelet/credential-provider',
      },
      service: 'kubelet.service',
    },
  },
  {
    name: 'MicroK8s',
    matches: (host) => host.kindOf('/var/snap/microk8s/current/args/kubelet') === 'file',
    way: {
      kind: 'add-flags',
      paths: {
        config: '/var/snap/microk8s/common/polycloud/credential-providers.yaml',
        binDirectory: '/var/snap/microk8s/common/polycloud/bin',
      },
      file: { kind: 'lines', path: '/var/snap/microk8s/current/args/kubelet' },
      service: 'snap.microk8s.daemon-kubelite.service',
    },
  },
  {
    name: 'RKE2',
    matches: (host) => host.kindOf('/var/lib/rancher/rke2') === 'folder',
    way: rancher(['rke2-server.service', 'rke2-agent.service']),
  },
  {
    name: 'k3s',
    matches: (host) => host.kindOf('/var/lib/rancher/k3s') === 'folder',
    way: rancher(['k3s.service', 'k3s-agent.service']),
  },
  {
    name: 'kubeadm',
    matches: (host) => host.kindOf('/var/lib/kubelet/kubeadm-flags.env') === 'file',
    way: {
      kind: 'add-flags',
      paths: {
        config: '/etc/kubernetes/credential-providers/polycloud.yaml',
        binDirectory: '/usr/lib/polycloud/credential-provider',
      },
      file: { kind: 'variable', name: 'KUBELET_EXTRA_ARGS', pathOn: kubeadmEnvironmentFile },
      service: 'kubelet.service',
    },
  },
];

/** The defaults of both distributions: https://docs.k3s.io/cli/agent */
function rancher(services: readonly string[]): LayoutWay {
  const directory = '/var/lib/rancher/credentialprovider';
  return {
    kind: 'flags-if-present',
    paths: { config: `${directory}/config.yaml`, binDirectory: `${directory}/bin` },
    services,
  };
}

/** The packages of Kubernetes name it in the kubelet's service: one path in deb, another in rpm. */
function kubeadmEnvironmentFile(host: HostRoot): string {
  const dropIn = 'systemd/system/kubelet.service.d/10-kubeadm.conf';
  const texts = [`/etc/${dropIn}`, `/usr/lib/${dropIn}`, `/lib/${dropIn}`].map((path) => host.readText(path));
  const found = /^EnvironmentFile=-?(?<path>\/etc\/(?:default|sysconfig)\/kubelet)\s*$/m.exec(texts.join('\n'));
  return found?.groups?.['path'] ?? '/etc/default/kubelet';
}

/** https://www.freedesktop.org/software/systemd/man/latest/os-release.html */
function osRelease(host: HostRoot): Readonly<Record<string, string>> {
  const text = host.readText('/etc/os-release') ?? host.readText('/usr/lib/os-release') ?? '';
  return parseEnvironmentFile(text);
}

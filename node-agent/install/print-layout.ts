import { stringify } from 'yaml';
import type { KubeletPaths, LayoutWay } from './layouts.ts';
import { mergeConfig } from './merge-config.ts';
import type { NamedEntry } from './merge-config.ts';

type PrintWay = Extract<LayoutWay, { readonly kind: 'print' }>;

/** What goes into the configuration of a distribution whose files cannot be changed from outside. Pure. */
export function printForLayout(
  format: PrintWay['format'],
  paths: KubeletPaths,
  entries: readonly NamedEntry[],
): string {
  return format === 'talos' ? talosPatch(paths.binDirectory, entries) : machineConfig(paths, entries);
}

/** https://www.talos.dev/v1.11/reference/configuration/v1alpha1/config/#Config.machine.kubelet */
function talosPatch(binDirectory: string, entries: readonly NamedEntry[]): string {
  const credentialProviderConfig = {
    apiVersion: 'kubelet.config.k8s.io/v1',
    kind: 'CredentialProviderConfig',
    providers: entries,
  };
  return `# A patch of the machine configuration. A system extension has to put the programs into
# ${binDirectory}. The kubelet of Talos has no glibc: only the front end runs there, and only while the agent
# serves its logins.
${stringify({ machine: { kubelet: { credentialProviderConfig } } })}`;
}

/**
 * The folder of the flags is read-only there, so a mount adds our programs to those of the platform.
 * https://docs.openshift.com/container-platform/latest/machine_configuration/index.html
 */
function machineConfig({ config, binDirectory }: KubeletPaths, entries: readonly NamedEntry[]): string {
  const source = `data:;base64,${Buffer.from(mergeConfig(undefined, entries, config)).toString('base64')}`;
  const file = { path: config, mode: 0o644, overwrite: true, contents: { source } };
  const unit = `[Unit]
Description=Credential provider of polycloud
Before=kubelet.service
ConditionPathExists=${ownPrograms}/polycloud-credential-provider
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/mount -t overlay -o lowerdir=${ownPrograms}:${binDirectory} polycloud ${binDirectory}
[Install]
WantedBy=multi-user.target
`;
  const units = [{ name: 'polycloud-credential-provider.service', enabled: true, contents: unit }];
  return `# For the pool \`worker\`; not tested on OpenShift. The file replaces the platform's own: add its entries. Put
# the programs into ${ownPrograms} on each node before.
${stringify({
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfig',
  metadata: { name: '99-worker-polycloud', labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
  spec: { config: { ignition: { version: '3.4.0' }, storage: { files: [file] }, systemd: { units } } },
})}`;
}

const ownPrograms = '/var/lib/polycloud/credential-provider';

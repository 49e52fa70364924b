import type { EmbeddedName, StateOf } from '../clouds/embedded.ts';
import type { LabCloud } from '../clouds/lab-cloud.ts';
import type { IpVersion, Site } from '../clouds/site.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { OptionalPartName } from '../control-plane/parts.ts';
import type { PluginFiles, PluginConfig } from './plugins.ts';
import type { RegistrySite } from './registry/registry-site.ts';

export interface NodeOptions<Name extends EmbeddedName> {
  readonly sites: readonly Site<Name>[];
  /** Whose machine it is: the metadata service of no other cloud is there. */
  readonly machineOf: Name | 'nobody';
  readonly ipVersions: readonly IpVersion[];
  readonly registries: readonly RegistrySite<Name>[];
  readonly machine: MachineOptions;
  /** With units of its own below /etc/systemd/system, and D-Bus. Absent: it has none. */
  readonly serviceManager?: 'systemd';
  /** Files of the test's own have their paths inside. */
  readonly plugin: PluginConfig | PluginFiles | 'none';
  /** Added to the kubelet's own, e.g. --node-ip. */
  readonly kubeletArguments: readonly string[];
  /** A file inside whose KUBELET_EXTRA_ARGS each start of the kubelet adds, as with the packages of kubeadm. */
  readonly kubeletEnvironmentFile?: string;
  /** Of the control plane. Without the first there are no service accounts, without the second pods name their node. */
  readonly parts: readonly OptionalPartName[];
}

export interface MachineOptions {
  /** The Node has this name. */
  readonly hostname: string;
  /** Of its interface; the first is what its name stands for. */
  readonly addresses: readonly string[];
  /** Its firmware texts, by file below /sys/class/dmi/id. None: those of this machine. */
  readonly dmi: Readonly<Record<string, string>>;
}

/** What makes a node one of a cloud. */
export interface CloudNode<Name extends EmbeddedName> {
  options(): NodeOptions<Name>;
  /** Tells the cloud of the cluster. */
  configureCloud(cloud: LabCloud<StateOf<Name>>, plane: ControlPlane): Promise<void>;
}

import { gcpSite } from '../clouds/gcp/site.ts';
import { initialGcpState, providerName } from '../clouds/gcp/state.ts';
import type { GcpState } from '../clouds/gcp/state.ts';
import type { LabCloud } from '../clouds/lab-cloud.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { issuer } from '../control-plane/parts.ts';
import { clusterKeys } from './cluster-keys.ts';
import type { CloudNode, NodeOptions } from './node-options.ts';
import { builtPlugin, nodeIdentityEntry } from './plugins.ts';
import { googleRegistrySite } from './registry/registry-site.ts';

/** An instance of Compute Engine; the provider `providerName` trusts the cluster's service accounts. */
export const gcpNode: CloudNode<'gcp'> = { options: defaultOptions, configureCloud: trustCluster };

function defaultOptions(): NodeOptions<'gcp'> {
  const { instance } = initialGcpState();
  return {
    sites: [gcpSite('googleapis.com')],
    machineOf: 'gcp',
    ipVersions: [4],
    registries: [googleRegistrySite(['us-docker.pkg.dev'])],
    machine: {
      hostname: instance.name,
      addresses: instance.interfaces.map(({ ip }) => ip),
      dmi: firmware,
    },
    plugin: {
      providers: [nodeIdentityEntry(['*.pkg.dev'])],
      programs: { 'polycloud-credential-provider': builtPlugin },
    },
    kubeletArguments: [],
    parts: ['kube-controller-manager', 'kube-scheduler'],
  };
}

async function trustCluster(gcp: LabCloud<GcpState>, plane: ControlPlane): Promise<void> {
  const keys = await clusterKeys(plane);
  const name = `//iam.googleapis.com/${providerName}`;
  const provider = (await gcp.state()).providers[name];
  if (provider === undefined) throw new Error('the embedded Google has no provider for clusters');
  await gcp.update({ providers: { [name]: { ...provider, issuer, keys } } });
}

export function providerIdOf({ projectId, instance }: GcpState): string {
  return `gce://${projectId}/${instance.zone}/${instance.name}`;
}

/** The same on each machine type. */
const firmware = {
  sys_vendor: 'Google',
  bios_vendor: 'Google',
  product_name: 'Google Compute Engine',
  product_uuid: '6e2a1b3c-4d5e-6f70-8192-a3b4c5d6e7f8',
  board_asset_tag: '6E2A1B3C-4D5E-6F70-8192-A3B4C5D6E7F8',
};

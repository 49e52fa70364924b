import { fleetOf } from '../clouds/aws/ec2-fleet.ts';
import type { Ec2Instance } from '../clouds/aws/ec2-instance.ts';
import { awsSite } from '../clouds/aws/site.ts';
import type { AwsState, Instance } from '../clouds/aws/state.ts';
import { initialAwsState } from '../clouds/aws/state.ts';
import type { LabCloud } from '../clouds/lab-cloud.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { issuer } from '../control-plane/parts.ts';
import { clusterKeys } from './cluster-keys.ts';
import type { CloudNode, NodeOptions } from './node-options.ts';
import { nodeIdentityPlugin } from './plugins.ts';
import { ecrSite } from './registry/registry-site.ts';

/** Registers the instance in the emulated EC2, and the cluster as an issuer of tokens. */
export const awsNode: CloudNode<'aws'> = { options: defaultOptions, configureCloud };

/** The very instance that the metadata service speaks of. */
function defaultOptions(): NodeOptions<'aws'> {
  const { accountId, instance } = initialAwsState();
  const regions: [string] = [instance.region];
  return {
    sites: [awsSite(regions)],
    machineOf: 'aws',
    ipVersions: [4],
    registries: [ecrSite({ accounts: [accountId, otherAccount], regions })],
    machine: {
      hostname: hostnameOf(instance),
      addresses: [instance.privateIp],
      dmi: firmwareOf(instance),
    },
    plugin: nodeIdentityPlugin,
    kubeletArguments: [],
    parts: ['kube-controller-manager', 'kube-scheduler'],
  };
}

const otherAccount = '210987654321';

async function configureCloud(aws: LabCloud<AwsState>, plane: ControlPlane): Promise<void> {
  await trustCluster(aws, await clusterKeys(plane));
  const { instance, accountId } = await aws.state();
  await aws.update({ ec2Instances: { [instance.instanceId]: toEc2Instance(instance, accountId) } });
}

/** Like any other of a fleet, but for what makes it this one. */
function toEc2Instance(instance: Instance, accountId: string): Ec2Instance {
  const { instanceId, region, zone, instanceType, privateIp } = instance;
  const launchedAtMs = Date.now() - 60 * 60 * 1000;
  const fleet = { count: 1, region, zoneLetters: [zone.slice(-1)], accountId, launchedAtMs, number: 0 };
  const [usual] = Object.values(fleetOf(fleet));
  if (usual === undefined) throw new Error('a fleet of one is empty');
  const interfaces = usual.interfaces.map((each) => ({ ...each, privateIps: [privateIp] }));
  return { ...usual, instanceId, zone, instanceType, privateDnsName: hostnameOf(instance), interfaces };
}

export function providerIdOf({ zone, instanceId }: Instance): string {
  return `aws:///${zone}/${instanceId}`;
}

/** The role `lab-pod` may be taken on by the service account `puller` of the namespace `default`. */
async function trustCluster(aws: LabCloud<AwsState>, keys: AwsState['issuers'][string]['keys']): Promise<void> {
  const { roles } = await aws.state();
  const role = roles['lab-pod'];
  if (role === undefined) throw new Error('the embedded AWS has no role lab-pod');
  const webIdentities = [...role.webIdentities, { issuer, subjects: ['system:serviceaccount:default:puller'] }];
  await aws.update({
    issuers: { [issuer]: { audiences: ['sts.amazonaws.com'], keys } },
    roles: { 'lab-pod': { ...role, webIdentities } },
  });
}

function hostnameOf({ privateIp, region }: Instance): string {
  return `ip-${privateIp.replaceAll('.', '-')}.${region}.compute.internal`;
}

/** What a Nitro instance has there. */
function firmwareOf({ instanceId }: Instance): Readonly<Record<string, string>> {
  return {
    sys_vendor: 'Amazon EC2',
    bios_vendor: 'Amazon EC2',
    product_name: 'm7g.large',
    product_uuid: 'ec2a1b2c-3d4e-5f60-7182-93a4b5c6d7e8',
    board_asset_tag: instanceId,
  };
}

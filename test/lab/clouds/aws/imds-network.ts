import type { Ec2Instance, Ec2Interface } from './ec2-instance.ts';
import type { AwsState } from './state.ts';

/**
 * What the metadata service tells of the instance's network, in the forms that AWS's own mock of it has
 * (github.com/aws/amazon-ec2-metadata-mock, pkg/config/defaults/aemm-metadata-default-values.json). It is what EC2 says
 * of the same instance, if EC2 knows it; else there is one interface with one address.
 */
export function networkDocuments(state: AwsState): Readonly<Record<string, string>> {
  const { instance } = state;
  const known = state.ec2Instances[instance.instanceId];
  const interfaces = known?.interfaces ?? [{ ...defaultInterface, privateIps: [instance.privateIp] }];
  const hostname = hostnameOf(state, known);
  return {
    'meta-data/hostname': hostname,
    'meta-data/local-hostname': hostname,
    ...lines('meta-data/local-ipv4', interfaces[0]?.privateIps.slice(0, 1) ?? []),
    'meta-data/mac': macOf(interfaces[0] ?? defaultInterface),
    'meta-data/placement/availability-zone-id': known?.zoneId ?? zoneIdOf(instance.zone),
    ...publicDocuments('meta-data/', known, 'ipv4'),
    ...Object.fromEntries(interfaces.filter(isInUse).flatMap((each) => interfaceDocuments(each, known, hostname))),
  };
}

const defaultInterface: Ec2Interface = { deviceIndex: 0, status: 'in-use', privateIps: [], ipv6: [] };

function isInUse({ status }: Ec2Interface): boolean {
  return status === 'in-use';
}

function interfaceDocuments(
  each: Ec2Interface,
  known: Ec2Instance | undefined,
  hostname: string,
): readonly (readonly [path: string, text: string])[] {
  const folder = `meta-data/network/interfaces/macs/${macOf(each)}/`;
  return Object.entries({
    [`${folder}device-number`]: String(each.deviceIndex),
    [`${folder}local-hostname`]: hostname,
    [`${folder}mac`]: macOf(each),
    ...lines(`${folder}local-ipv4s`, each.privateIps),
    ...lines(`${folder}ipv6s`, each.ipv6),
    ...(each.deviceIndex === 0 && publicDocuments(folder, known, 'ipv4s')),
  });
}

/** Absent if it is empty. */
function publicDocuments(
  folder: string,
  known: Ec2Instance | undefined,
  addressName: string,
): Readonly<Record<string, string>> {
  return {
    ...(known?.publicIp !== undefined && { [`${folder}public-${addressName}`]: known.publicIp }),
    ...(known?.publicDnsName !== undefined && { [`${folder}public-hostname`]: known.publicDnsName }),
  };
}

function lines(path: string, values: readonly string[]): Readonly<Record<string, string>> {
  return values.length === 0 ? {} : { [path]: values.join('\n') };
}

/** In the domain of the VPC's DHCP options, which EC2's own name of the instance does not have. */
function hostnameOf({ instance }: AwsState, known: Ec2Instance | undefined): string {
  const own = known?.privateDnsName ?? `ip-${instance.privateIp.replaceAll('.', '-')}.${ownDomain(instance.region)}`;
  return instance.dhcpDomain === undefined ? own : `${own.split('.', 1)[0] ?? ''}.${instance.dhcpDomain}`;
}

function ownDomain(region: string): string {
  return region === 'us-east-1' ? 'ec2.internal' : `${region}.compute.internal`;
}

/** `usw2-az2` for `us-west-2b`. */
function zoneIdOf(zone: string): string {
  const [country = '', ...rest] = zone.slice(0, -1).split('-');
  const letters = rest.map((word) => word.slice(0, 1)).join('');
  return `${country}${letters}-az${(zone.codePointAt(zone.length - 1) ?? 0) - 96}`;
}

/** In another order than the devices', as it may be. */
function macOf({ deviceIndex }: Ec2Interface): string {
  return `06:00:00:00:00:${(0xff - deviceIndex).toString(16)}`;
}

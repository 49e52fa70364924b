import { deviceOrder } from '../instance.ts';
import type { DescribedInstance, NetworkInterface } from '../instance.ts';
import { child, itemsOf, readXml, textAt } from './xml.ts';
import type { XmlElement } from './xml.ts';

export interface InstancePage {
  readonly instances: readonly DescribedInstance[];
  readonly nextToken: string | undefined;
}

/** The elements that are read, at any depth. */
const names = new Set(
  [
    'DescribeInstancesResponse reservationSet item ownerId instancesSet nextToken',
    'instanceId instanceState name instanceType placement availabilityZone availabilityZoneId',
    'privateDnsName dnsName ipAddress privateIpAddress',
    'networkInterfaceSet status attachment deviceIndex networkCardIndex',
    'privateIpAddressesSet primary ipv6AddressesSet ipv6Address isPrimaryIpv6',
  ].flatMap((line) => line.split(' ')),
);

/**
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstances.html; `undefined`: it is no such
 * response.
 */
export function parseInstancePage(xml: string): InstancePage | undefined {
  const root = readXml(xml, names);
  if (root?.name !== 'DescribeInstancesResponse' || child(root, 'reservationSet') === undefined) return undefined;
  const instances = itemsOf(root, 'reservationSet').flatMap(fromReservation);
  return instances.includes(undefined)
    ? undefined
    : { instances: instances.filter((instance) => instance !== undefined), nextToken: textAt(root, 'nextToken') };
}

function fromReservation(reservation: XmlElement): readonly (DescribedInstance | undefined)[] {
  const ownerId = textAt(reservation, 'ownerId') ?? '';
  return itemsOf(reservation, 'instancesSet').map((item) => fromItem(item, ownerId));
}

function fromItem(item: XmlElement, ownerId: string): DescribedInstance | undefined {
  const instanceId = textAt(item, 'instanceId');
  const state = textAt(item, 'instanceState', 'name');
  if (instanceId === undefined || state === undefined) return undefined;
  return {
    instanceId,
    ownerId,
    state,
    type: textAt(item, 'instanceType'),
    zone: textAt(item, 'placement', 'availabilityZone'),
    zoneId: textAt(item, 'placement', 'availabilityZoneId'),
    privateDnsName: textAt(item, 'privateDnsName'),
    publicDnsName: textAt(item, 'dnsName'),
    publicIp: textAt(item, 'ipAddress'),
    interfaces: interfacesOf(item),
  };
}

/** An instance without a list of interfaces still has one address. */
function interfacesOf(item: XmlElement): readonly NetworkInterface[] {
  const all = itemsOf(item, 'networkInterfaceSet');
  const own = textAt(item, 'privateIpAddress');
  if (all.length === 0) return own === undefined ? [] : [{ ipv4: [own], ipv6: [] }];
  return all
    .filter((each) => textAt(each, 'status') === 'in-use')
    .toSorted((a, b) => deviceOf(a) - deviceOf(b))
    .map((each) => ({ ipv4: ipv4Of(each), ipv6: ipv6Of(each) }));
}

function deviceOf(networkInterface: XmlElement): number {
  const attachment = child(networkInterface, 'attachment');
  return deviceOrder(textAt(attachment, 'networkCardIndex'), textAt(attachment, 'deviceIndex'));
}

function ipv4Of(networkInterface: XmlElement): readonly string[] {
  const listed = itemsOf(networkInterface, 'privateIpAddressesSet');
  const primaryFirst = [...listed.filter(isPrimary), ...listed.filter((each) => !isPrimary(each))];
  const primary = textAt(networkInterface, 'privateIpAddress');
  return unique([primary, ...primaryFirst.map((each) => textAt(each, 'privateIpAddress'))]);
}

function ipv6Of(networkInterface: XmlElement): readonly string[] {
  const listed = itemsOf(networkInterface, 'ipv6AddressesSet');
  const primaryFirst = [...listed.filter(isPrimary), ...listed.filter((each) => !isPrimary(each))];
  return unique(primaryFirst.map((each) => textAt(each, 'ipv6Address')));
}

function isPrimary(address: XmlElement): boolean {
  return textAt(address, 'primary') === 'true' || textAt(address, 'isPrimaryIpv6') === 'true';
}

function unique(addresses: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(addresses.filter((address) => address !== undefined))];
}

export interface TopologyPage {
  /** By instance id, from the outermost layer in. */
  readonly layers: ReadonlyMap<string, readonly string[]>;
  readonly nextToken: string | undefined;
}

const topologyNames = new Set(
  'DescribeInstanceTopologyResponse instanceSet item instanceId networkNodeSet nextToken'.split(' '),
);

/**
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTopology.html; `undefined`: it is no such
 * response.
 */
export function parseTopologyPage(xml: string): TopologyPage | undefined {
  const root = readXml(xml, topologyNames);
  if (root?.name !== 'DescribeInstanceTopologyResponse' || child(root, 'instanceSet') === undefined) return undefined;
  const layers = itemsOf(root, 'instanceSet').flatMap(layersOf);
  return { layers: new Map(layers), nextToken: textAt(root, 'nextToken') };
}

function layersOf(item: XmlElement): readonly (readonly [string, readonly string[]])[] {
  const instanceId = textAt(item, 'instanceId');
  const nodes = itemsOf(item, 'networkNodeSet').map(({ text }) => text);
  return instanceId === undefined ? [] : [[instanceId, nodes]];
}

import { isIP } from 'node:net';
import { Failure } from '../../../lib/failure.ts';
import { deviceOrder } from '../instance.ts';
import type { InstanceDescription, NetworkInterface } from '../instance.ts';
import { regionOfZone } from '../provider-id.ts';

/** The responses of the metadata service. `undefined`: it has no such value. */
export interface AwsMetadataTexts {
  readonly instanceId: string | undefined;
  readonly type: string | undefined;
  readonly zone: string | undefined;
  /** Absent on instances that were launched before AWS added this value. */
  readonly zoneId: string | undefined;
  readonly localHostname: string | undefined;
  readonly publicHostname: string | undefined;
  readonly publicIp: string | undefined;
  readonly interfaces: readonly InterfaceTexts[];
}

export interface InterfaceTexts {
  readonly device: string | undefined;
  readonly card: string | undefined;
  /** One per line, the primary one first. */
  readonly ipv4: string | undefined;
  readonly ipv6: string | undefined;
}

export const instanceIdPattern = /^i-[0-9a-f]{8,17}$/;
/** These become values of labels. With an invalid one the Node could not be written at all. */
const typePattern = /^(?=.{1,63}$)[a-z0-9][a-z0-9-]*\.[a-z0-9-]*[a-z0-9]$/;
const zoneIdPattern = /^(?=.{1,63}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const longestZoneCharacters = 63;
const dnsNamePattern = /^(?=.{1,253}$)[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i;
const macPattern = /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i;
const numberPattern = /^\d{1,3}$/;

/** Pure. A value that does not match its pattern is an error, and nothing of it reaches a Node. */
export function parseMetadata(texts: AwsMetadataTexts): InstanceDescription {
  const zone = required('availability zone', texts.zone, isZone);
  return {
    instanceId: required('instance id', texts.instanceId, (text) => instanceIdPattern.test(text)),
    type: required('instance type', texts.type, (text) => typePattern.test(text)),
    zone,
    zoneId: optional('zone id', texts.zoneId, (text) => zoneIdPattern.test(text)),
    privateDnsName: privateDnsName(texts.localHostname, regionOfZone(zone) ?? ''),
    publicDnsName: optional('public host name', texts.publicHostname, (text) => dnsNamePattern.test(text)),
    publicIp: optional('public address', texts.publicIp, (text) => isIP(text) === 4),
    interfaces: sortByDevice(texts.interfaces).map(interfaceOf),
  };
}

function isZone(text: string): boolean {
  return text.length <= longestZoneCharacters && !text.endsWith('-') && regionOfZone(text) !== undefined;
}

export function readMacs(text: string | undefined): readonly string[] {
  const macs = linesOf(text).map((line) => line.replace(/\/$/, ''));
  if (macs.length > 0 && macs.every((mac) => macPattern.test(mac))) return macs;
  throw invalidValue('list of network interfaces', text);
}

type TextCheck = (text: string) => boolean;

function required(what: string, text: string | undefined, isValid: TextCheck): string {
  if (text !== undefined && isValid(text)) return text;
  throw invalidValue(what, text);
}

function optional(what: string, text: string | undefined, isValid: TextCheck): string | undefined {
  return text === undefined || text === '' ? undefined : required(what, text, isValid);
}

function invalidValue(what: string, text: string | undefined): Failure {
  const problem = text === undefined ? 'does not return' : 'returned an invalid value for';
  return new Failure('invalid-response', `the instance metadata service ${problem} the ${what}`, {
    remedy: 'check that nothing else answers in its place',
  });
}

/** EC2's name for an instance in the domain of its region. */
const ownHostPattern = /^(?:ip(?:-\d{1,3}){4}|i-[0-9a-f]{8,17})$/;

/**
 * The name as in EC2's API. The metadata service appends the domains of the VPC's DHCP options, so that the two names
 * would not look like the same instance. A host name that is not EC2's is left out.
 */
function privateDnsName(localHostname: string | undefined, region: string): string | undefined {
  const host = localHostname?.split(/[.\s]/, 1)[0] ?? '';
  if (!ownHostPattern.test(host)) return undefined;
  return `${host}.${region === 'us-east-1' ? 'ec2.internal' : `${region}.compute.internal`}`;
}

/** An interface without a device is being detached. */
function sortByDevice(interfaces: readonly InterfaceTexts[]): readonly InterfaceTexts[] {
  const attached = interfaces.filter(({ device }) => device !== undefined);
  const numbered = attached.map((each) => [orderOf(each), each] as const);
  return numbered.toSorted(([a], [b]) => a - b).map(([, each]) => each);
}

/** Instances with one network card have no value for it. */
function orderOf({ card, device }: InterfaceTexts): number {
  const isNumber = (text: string): boolean => numberPattern.test(text);
  return deviceOrder(optional('network card', card, isNumber), required('device number', device, isNumber));
}

function interfaceOf({ ipv4, ipv6 }: InterfaceTexts): NetworkInterface {
  return { ipv4: addresses(ipv4, 4), ipv6: addresses(ipv6, 6) };
}

function addresses(text: string | undefined, version: 4 | 6): readonly string[] {
  return linesOf(text).map((line) => required('addresses of an interface', line, (each) => isIP(each) === version));
}

function linesOf(text: string | undefined): readonly string[] {
  return (text ?? '').split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

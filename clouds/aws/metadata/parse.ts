import { isIP } from 'node:net';
import { Failure } from '../../../lib/failure.ts';
import { deviceOrder } from '../instance.ts';
import type { InstanceDescription, NetworkInterface } from '../instance.ts';
import { regionOfZone } from '../provider-id.ts';

/** The metadata service's answers as they came; `undefined`: it has no such thing. */
export interface AwsMetadataTexts {
  readonly instanceId: string | undefined;
  readonly type: string | undefined;
  readonly zone: string | undefined;
  /** Instances that were launched before there was one are not told it. */
  readonly zoneId: string | undefined;
  readonly localHostname: string | undefined;
  readonly publicHostname: string | undefined;
  readonly publicIp: string | undefined;
  readonly interfaces: readonly InterfaceTexts[];
}

export interface InterfaceTexts {
  readonly device: string | undefined;
  readonly card: string | undefined;
  /** One a line, the primary one first. */
  readonly ipv4: string | undefined;
  readonly ipv6: string | undefined;
}

export const instanceIdPattern = /^i-[0-9a-f]{8,17}$/;
/** These become values of labels, and with one that Kubernetes does not take the Node could not be written at all. */
const typePattern = /^(?=.{1,63}$)[a-z0-9][a-z0-9-]*\.[a-z0-9-]*[a-z0-9]$/;
const zoneIdPattern = /^(?=.{1,63}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const longestZoneCharacters = 63;
const dnsNamePattern = /^(?=.{1,253}$)[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i;
const macPattern = /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i;
const numberPattern = /^\d{1,3}$/;

/** Pure. Whatever is not in its form is no word of AWS's, and nothing of it may reach a Node. */
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
  const problem = text === undefined ? 'does not tell' : 'tells something that cannot be';
  return new Failure('invalid-response', `the instance metadata service ${problem} the ${what}`, {
    remedy: 'check that nothing else answers in its place',
  });
}

/** What EC2 calls an instance in the domain of its region. */
const ownHostPattern = /^(?:ip(?:-\d{1,3}){4}|i-[0-9a-f]{8,17})$/;

/**
 * As EC2's API has it. The metadata service puts the domain of the VPC's DHCP options behind the host, or several, and
 * then nobody could tell that both mean the same instance. A host that EC2 did not name is not told at all.
 */
function privateDnsName(localHostname: string | undefined, region: string): string | undefined {
  const host = localHostname?.split(/[.\s]/, 1)[0] ?? '';
  if (!ownHostPattern.test(host)) return undefined;
  return `${host}.${region === 'us-east-1' ? 'ec2.internal' : `${region}.compute.internal`}`;
}

/** One without a device is just being taken away. */
function sortByDevice(interfaces: readonly InterfaceTexts[]): readonly InterfaceTexts[] {
  const attached = interfaces.filter(({ device }) => device !== undefined);
  const numbered = attached.map((each) => [orderOf(each), each] as const);
  return numbered.toSorted(([a], [b]) => a - b).map(([, each]) => each);
}

/** Instances with one network card are told of none. */
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

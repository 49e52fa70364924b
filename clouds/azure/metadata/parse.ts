import { isIP } from 'node:net';
import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import { sameAddress } from '../../../lib/node/addresses.ts';
import type { Instance } from '../../cloud.ts';
import { vmIdPattern } from '../instance.ts';
import type { DescribedMachine, InterfaceAddress, MachineInterface } from '../instance.ts';
import { parseResourceId } from '../provider-id.ts';
import { InstanceDocument } from '../schemas.ts';
import type { PublicAddress } from '../schemas.ts';
import { plainMac } from './primary-interface.ts';

/** These become values of labels. With an invalid one the Node could not be written at all. */
const sizePattern = /^(?=.{1,63}$)[a-z0-9](?:[\w.-]*[a-z0-9])?$/i;
/** Leaves room for a hyphen and the number of a zone. */
const locationPattern = /^(?=.{1,58}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;
const numberPattern = /^\d{1,4}$/;
const subFaultDomainLabel = 'topology.kubernetes.azure.com/sub-fault-domain';

/**
 * Pure. A value that does not match its pattern is an error, and nothing of it reaches a Node. If the primary interface
 * is not known, it is the first one, as for Azure's own programs.
 */
export function parseInstanceDocument(text: string, primaryMac?: string): DescribedMachine {
  const parsed = InstanceDocument.safeParse(parseJson(text));
  if (!parsed.success) throw invalidValue('instance document', text);
  const { compute, network } = parsed.data;
  const resource = parseResourceId(compute.resourceId);
  if (resource === undefined) throw invalidValue('resource id', compute.resourceId);
  return {
    resource,
    vmId: required('id of the machine', compute.vmId, vmIdPattern),
    size: required('size', compute.vmSize, sizePattern),
    location: required('location', compute.location, locationPattern),
    zone: optional('zone', compute.zone, numberPattern),
    faultDomain: optional('fault domain', compute.platformFaultDomain, numberPattern),
    interfaces: interfacesOf(network.interface, primaryMac),
    labels: labelsOf(compute.platformSubFaultDomain),
  };
}

function labelsOf(subFaultDomain: string | undefined): Instance['labels'] {
  const value = optional('sub fault domain', subFaultDomain, numberPattern);
  return value === undefined ? {} : { [subFaultDomainLabel]: value };
}

type Interfaces = InstanceDocument['network']['interface'];

function interfacesOf(interfaces: Interfaces, primaryMac: string | undefined): readonly MachineInterface[] {
  const isPrimary = ({ macAddress = '' }: Interfaces[number]): boolean => plainMac(macAddress) === primaryMac;
  const primaryFirst = interfaces.toSorted((a, b) => Number(isPrimary(b)) - Number(isPrimary(a)));
  const found = primaryFirst.map(({ ipv4, ipv6 }) => ({
    ipv4: addressesIn(ipv4?.ipAddress ?? [], 4),
    ipv6: addressesIn(ipv6?.ipAddress ?? [], 6),
  }));
  if (found.some((each) => each.ipv4.length > 0 || each.ipv6.length > 0)) return found;
  // A machine that is starting has none yet.
  throw invalidValue('addresses of its interfaces', undefined);
}

type DocumentAddress = NonNullable<NonNullable<Interfaces[number]['ipv4']>['ipAddress']>[number];

function addressesIn(addresses: readonly DocumentAddress[], version: 4 | 6): readonly InterfaceAddress[] {
  return addresses
    .filter(({ privateIpAddress }) => privateIpAddress !== '')
    .map(({ privateIpAddress, publicIpAddress }) => ({
      privateIp: checked(privateIpAddress, version),
      publicIp: publicIpAddress ? checked(publicIpAddress, version) : undefined,
    }));
}

function checked(address: string, version: 4 | 6): string {
  if (isIP(address) === version) return address;
  throw invalidValue('addresses of its interfaces', address);
}

/** Pure. Adds what is public by the load balancer's part of the service. */
export function withPublicAddresses(machine: DescribedMachine, found: readonly PublicAddress[]): DescribedMachine {
  const publicIpOf = ({ privateIp, publicIp }: InterfaceAddress): string | undefined => {
    const entry = found.find((each) => sameAddress(withoutBrackets(each.privateIpAddress), privateIp));
    const frontend = withoutBrackets(entry?.frontendIpAddress ?? '');
    const isNew = isIP(frontend) === isIP(privateIp) && !sameAddress(frontend, privateIp);
    return publicIp ?? (isNew ? frontend : undefined);
  };
  const complete = (each: InterfaceAddress): InterfaceAddress => ({ ...each, publicIp: publicIpOf(each) });
  const interfaces = machine.interfaces.map(({ ipv4, ipv6 }) => ({
    ipv4: ipv4.map(complete),
    ipv6: ipv6.map(complete),
  }));
  return { ...machine, interfaces };
}

/** IPv6 addresses come in brackets here. */
function withoutBrackets(address: string): string {
  return address.replace(/^\[(?<inner>.*)\]$/, '$<inner>');
}

function required(what: string, text: string | undefined, form: RegExp): string {
  if (text !== undefined && form.test(text)) return text;
  throw invalidValue(what, text === '' ? undefined : text);
}

/** Values that do not apply are empty. */
function optional(what: string, text: string | undefined, form: RegExp): string | undefined {
  return text === undefined || text === '' ? undefined : required(what, text, form);
}

function invalidValue(what: string, text: string | undefined): Failure {
  const problem = text === undefined ? 'does not return' : 'returned an invalid value for';
  return new Failure('invalid-response', `the instance metadata service ${problem} the ${what}`, {
    remedy: 'check that nothing else answers in its place; on a machine that is starting it should pass',
  });
}

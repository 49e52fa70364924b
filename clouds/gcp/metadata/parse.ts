import { isIP } from 'node:net';
import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Instance } from '../../cloud.ts';
import { NetworkInterfaces } from '../schemas.ts';

/** The responses of the metadata server. `undefined`: it has no such value. */
export interface GcpMetadataTexts {
  readonly project: string | undefined;
  readonly name: string | undefined;
  readonly zone: string | undefined;
  readonly machineType: string | undefined;
  readonly interfaces: string | undefined;
}

export const instanceIdPattern = /^\d{1,20}$/;
/** Projects of old organisations have the domain in front. */
const projectPattern = /^(?<value>(?:[a-z0-9.-]{1,100}:)?[a-z][a-z0-9-]{4,61})$/;
const namePattern = /^(?<value>[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)$/;
/**
 * A region and a letter, or `ai1a` for an AI zone. The region is the value of a label too, and cannot end with a
 * hyphen. https://docs.cloud.google.com/compute/docs/regions-zones/ai-zones
 */
const zonePattern = /^projects\/\d{1,20}\/zones\/(?<value>[a-z0-9](?:[a-z0-9-]{0,49}[a-z0-9])?-(?:ai\d{1,2})?[a-z])$/;
const machineTypePattern = /^projects\/\d{1,20}\/machineTypes\/(?<value>[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)$/;

/** Pure. A value that does not match its pattern is an error, and nothing of it reaches a Node. */
export function parseMetadata(texts: GcpMetadataTexts): Instance {
  const zone = required('zone', texts.zone, zonePattern);
  const project = required('project', texts.project, projectPattern);
  return {
    providerId: `gce://${project}/${zone}/${required('name', texts.name, namePattern)}`,
    type: required('machine type', texts.machineType, machineTypePattern),
    region: zone.slice(0, zone.lastIndexOf('-')),
    zone,
    addresses: addressesOf(texts.interfaces),
    labels: {},
  };
}

type Address = Instance['addresses'][number];

/**
 * The same as in the vendor's controller: of each interface its own addresses, IPv4 before IPv6, and the public one.
 * Alias ranges are for pods. There is no Hostname here, so the Node keeps the kubelet's.
 */
function addressesOf(text: string | undefined): readonly Address[] {
  const parsed = NetworkInterfaces.safeParse(parseJson(text ?? ''));
  if (!parsed.success) throw invalidValue('network interfaces', text);
  const internal = parsed.data.flatMap(({ ip, ipv6s }) => [ip ?? '', ...(ipv6s ?? [])]).filter((each) => each !== '');
  const external = parsed.data.flatMap(({ accessConfigs }) =>
    (accessConfigs ?? []).map((each) => each.externalIp ?? ''),
  );
  const ordered = internal.toSorted((a, b) => isIP(a) - isIP(b));
  return [
    ...ordered.map((address) => ({ type: 'InternalIP' as const, address: checked(address) })),
    ...external
      .filter((address) => address !== '')
      .map((address) => ({ type: 'ExternalIP' as const, address: checked(address) })),
  ];
}

function checked(address: string): string {
  if (isIP(address) !== 0) return address;
  throw invalidValue('addresses of an interface', address);
}

function required(what: string, text: string | undefined, form: RegExp): string {
  const value = form.exec(text ?? '')?.groups?.['value'];
  if (value !== undefined) return value;
  throw invalidValue(what, text);
}

function invalidValue(what: string, text: string | undefined): Failure {
  const problem = text === undefined ? 'does not return' : 'returned an invalid value for';
  return new Failure('invalid-response', `the metadata server ${problem} the ${what}`, {
    remedy: 'check that nothing else answers in its place; on GKE only pods on the host network can read all of it',
  });
}

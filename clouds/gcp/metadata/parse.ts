import { isIP } from 'node:net';
import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Instance, NodeFacts } from '../../cloud.ts';
import { toInstance } from '../instance.ts';
import type { GcpNetworkInterface } from '../instance.ts';
import { formats } from '../provider-id.ts';
import { NetworkInterfaces } from '../schemas.ts';

/** The responses of the metadata server. `undefined`: it has no such value. */
export interface GcpMetadataTexts {
  readonly project: string | undefined;
  readonly name: string | undefined;
  readonly id: string | undefined;
  readonly zone: string | undefined;
  readonly machineType: string | undefined;
  readonly interfaces: string | undefined;
}

export const instanceIdPattern = /^(?<value>\d{1,20})$/;
const projectPattern = new RegExp(`^(?<value>${formats.project})$`);
const namePattern = new RegExp(`^(?<value>${formats.name})$`);
const zonePattern = new RegExp(String.raw`^projects/\d{1,20}/zones/(?<value>${formats.zone})$`);
const machineTypePattern = new RegExp(String.raw`^projects/\d{1,20}/machineTypes/(?<value>${formats.machineType})$`);

/** Pure. A value that does not match its pattern is an error, and nothing of it reaches a Node. */
export function parseMetadata(texts: GcpMetadataTexts, node: Pick<NodeFacts, 'nodeIps'>): Instance {
  const described = {
    project: required('project', texts.project, projectPattern),
    zone: required('zone', texts.zone, zonePattern),
    name: required('name', texts.name, namePattern),
    instanceId: required('id', texts.id, instanceIdPattern),
    machineType: required('machine type', texts.machineType, machineTypePattern),
    interfaces: interfacesIn(texts.interfaces),
  };
  return toInstance(described, node);
}

function interfacesIn(text: string | undefined): readonly GcpNetworkInterface[] {
  const parsed = NetworkInterfaces.safeParse(parseJson(text ?? ''));
  if (!parsed.success) throw invalidValue('network interfaces', text);
  const interfaces = parsed.data.map(({ ip, ipv6s = [], accessConfigs = [], ipAliases = [] }) => ({
    internal: checked([ip, ...ipv6s]),
    external: checked(accessConfigs.map(({ externalIp }) => externalIp)),
    aliasRanges: ipAliases,
  }));
  // A Node without an address must not be initialised.
  const hasAddress = interfaces.some(({ internal }) => internal.length > 0);
  if (!hasAddress) throw invalidValue('addresses of an interface', undefined);
  return interfaces;
}

/** Without those that are absent or empty. */
function checked(addresses: readonly (string | undefined)[]): readonly string[] {
  const present = addresses.flatMap((address) => address || []);
  const invalid = present.find((address) => isIP(address) === 0);
  if (invalid !== undefined) throw invalidValue('addresses of an interface', invalid);
  return present;
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

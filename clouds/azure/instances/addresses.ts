import { isIP } from 'node:net';
import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { InterfaceAddress, MachineInterface } from '../instance.ts';
import { NetworkInterfaceResource, PublicIpResource } from '../schemas.ts';
import type { VirtualMachine } from '../schemas.ts';
import { notItsFormat } from '../resource-manager-errors.ts';
import type { ResourceManager } from './resource-manager.ts';

/** The addresses of one machine. */
export interface MachineAddresses {
  /** The primary one first. */
  readonly interfaces: readonly MachineInterface[];
  /** Could a public address not be read? */
  readonly hasUnread: boolean;
}

/** Those of a scale set's machines have versions of their own. */
export const networkVersions = { machine: '2024-05-01', scaleSet: '2018-10-01' };
/** A token is sent with it. Names of resource groups can have letters of any script. */
const idPattern = /^\/subscriptions\/[\p{L}\p{N}_/.() -]{1,600}$/u;

/** By the interfaces of the machine, each with its public addresses. Throws a `Failure` if an interface cannot be read. */
export async function readAddresses(
  { properties }: VirtualMachine,
  manager: ResourceManager,
  context: Context,
): Promise<MachineAddresses> {
  const references = properties.networkProfile?.networkInterfaces ?? [];
  const read = await Promise.all(
    references.map(async (reference) => {
      const resource = await readInterface(reference.id, manager, context);
      const isPrimary = reference.properties?.primary ?? resource.properties.primary ?? references.length === 1;
      return { isPrimary, ...(await addressesOf(resource, manager, context)) };
    }),
  );
  const ordered = read.toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary));
  return { interfaces: ordered.map((each) => each.found), hasUnread: read.some((each) => each.hasUnread) };
}

async function readInterface(
  id: string,
  manager: ResourceManager,
  context: Context,
): Promise<NetworkInterfaceResource> {
  const parsed = NetworkInterfaceResource.safeParse(
    await getById(id, { $expand: 'ipConfigurations/publicIPAddress' }, { manager, context }),
  );
  if (parsed.success && isSameId(parsed.data.id, id)) return parsed.data;
  throw notItsFormat('the Resource Manager');
}

interface Deps {
  readonly manager: ResourceManager;
  readonly context: Context;
}

async function getById(
  id: string,
  query: Readonly<Record<string, string>>,
  { manager, context }: Deps,
): Promise<unknown> {
  if (!idPattern.test(id)) throw notItsFormat('the Resource Manager');
  const version = /\/virtualMachineScaleSets\//i.test(id) ? networkVersions.scaleSet : networkVersions.machine;
  const response = await manager.get(id, { 'api-version': version, ...query }, context);
  if (response.is === 'answer') return response.body;
  throw response.failure;
}

function isSameId(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

interface InterfaceAddresses {
  readonly found: MachineInterface;
  readonly hasUnread: boolean;
}

async function addressesOf(
  { properties }: NetworkInterfaceResource,
  manager: ResourceManager,
  context: Context,
): Promise<InterfaceAddresses> {
  const primaryFirst = properties.ipConfigurations.toSorted(
    (a, b) => Number(b.properties.primary === true) - Number(a.properties.primary === true),
  );
  // A configuration can be a block for pods, which is not an address.
  const own = primaryFirst.filter((each) => isIP(each.properties.privateIPAddress ?? '') !== 0);
  const read = await Promise.all(
    own.map(async (each) => ({
      privateIp: each.properties.privateIPAddress ?? '',
      ...(await publicIpOf(each.properties.publicIPAddress, { manager, context })),
    })),
  );
  const ofFamily = (version: 4 | 6): readonly InterfaceAddress[] =>
    read
      .filter(({ privateIp }) => isIP(privateIp) === version)
      .map(({ privateIp, publicIp }) => ({ privateIp, publicIp }));
  return { found: { ipv4: ofFamily(4), ipv6: ofFamily(6) }, hasUnread: read.some((each) => each.isUnread) };
}

type PublicIpReference =
  NetworkInterfaceResource['properties']['ipConfigurations'][number]['properties']['publicIPAddress'];

/** Expanded in the interface, or else by a request of its own. A dynamic one of a stopped machine has no address. */
async function publicIpOf(
  reference: PublicIpReference,
  deps: Deps,
): Promise<{ readonly publicIp: string | undefined; readonly isUnread: boolean }> {
  if (reference === undefined) return { publicIp: undefined, isUnread: false };
  const expanded = reference.properties?.ipAddress;
  if (expanded !== undefined) return { publicIp: address(expanded), isUnread: false };
  if (reference.properties !== undefined) return { publicIp: undefined, isUnread: false };
  try {
    const parsed = PublicIpResource.safeParse(await getById(reference.id, {}, deps));
    if (!parsed.success || !isSameId(parsed.data.id, reference.id)) return { publicIp: undefined, isUnread: true };
    return { publicIp: address(parsed.data.properties.ipAddress ?? ''), isUnread: false };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    deps.context.log.debug(`a public address could not be read: ${error.message}`);
    return { publicIp: undefined, isUnread: true };
  }
}

function address(text: string): string | undefined {
  return isIP(text) === 0 ? undefined : text;
}

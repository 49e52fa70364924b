import { Failure } from '../../../lib/failure.ts';
import type { Instance, LookupResult } from '../../cloud.ts';
import { toInstance } from '../instance.ts';
import type { InstanceConfig } from '../instance.ts';
import type { NovaServer } from '../schemas.ts';
import { addressesOf } from './addresses.ts';
import type { NetworkRules } from './addresses.ts';
import type { ServerPorts } from './ports.ts';

/**
 * What a server's status means for its Node. Only after SHUTOFF and SHELVED the machine is certainly off, and so is one
 * that was deleted but can still be restored. A suspended or paused one goes on with its memory, so its volumes have to
 * stay attached. ERROR states that an action failed, and nothing about the machine.
 * https://docs.openstack.org/api-guide/compute/server_concepts.html
 */
const states: Readonly<Record<string, 'running' | 'stopped'>> = {
  ACTIVE: 'running',
  BUILD: 'running',
  ERROR: 'running',
  HARD_REBOOT: 'running',
  MIGRATING: 'running',
  PASSWORD: 'running',
  PAUSED: 'running',
  REBOOT: 'running',
  REBUILD: 'running',
  RESCUE: 'running',
  RESIZE: 'running',
  REVERT_RESIZE: 'running',
  SUSPENDED: 'running',
  VERIFY_RESIZE: 'running',
  SHUTOFF: 'stopped',
  SHELVED: 'stopped',
  SHELVED_OFFLOADED: 'stopped',
  SOFT_DELETED: 'stopped',
};

export const deletedStatus = 'DELETED';

export interface ServerDescription {
  readonly server: NovaServer;
  readonly by: 'id' | 'list';
  readonly region: string;
  /** A failure if they could not be read. Absent: they were not asked for, as for a canary. */
  readonly ports: ServerPorts | Failure | undefined;
}

/** That a server is off is known without its ports; its Node then keeps its addresses. */
export function describedResult(description: ServerDescription, config: InstanceConfig & NetworkRules): LookupResult {
  const { server, by, ports } = description;
  // A list does not show deleted servers, unless an administrator asks for them.
  if (server.status === deletedStatus && by === 'id') {
    return { status: 'terminated', evidence: `the server ${server.id} is ${deletedStatus}` };
  }
  const state = Object.hasOwn(states, server.status) ? states[server.status] : undefined;
  if (state === undefined) return { status: 'unknown', failure: unknownStatus(server) };
  const instance = instanceOf(description, config);
  if (state === 'stopped' || ports === undefined) return { status: state, instance, by };
  if (ports instanceof Failure) return { status: 'unknown', failure: ports };
  const hasAddress = instance.addresses.some(({ type }) => type !== 'Hostname');
  return hasAddress ? { status: state, instance, by } : { status: 'unknown', failure: noAddress(server) };
}

function instanceOf({ server, region, ports }: ServerDescription, config: InstanceConfig & NetworkRules): Instance {
  const isRead = ports !== undefined && !(ports instanceof Failure);
  const description = {
    serverId: server.id,
    projectId: server.tenant_id,
    flavorName: server.flavor.original_name,
    availabilityZone: server['OS-EXT-AZ:availability_zone'] ?? undefined,
    addresses: isRead ? addressesOf(server, ports, config) : [],
  };
  return toInstance(description, region, config);
}

/** A Node without an address must not be initialised. */
function noAddress({ id }: NovaServer): Failure {
  return new Failure('invalid-response', `OpenStack shows no address of the server ${id} yet`, {
    remedy: 'it should pass; if it stays, look at its ports, and at publicNetworks and internalNetworks',
  });
}

function unknownStatus({ id, status }: NovaServer): Failure {
  const statusText = status.replace(/[^\w-]/g, '').slice(0, 40);
  return new Failure('invalid-response', `the status of the server ${id} is ${statusText}, which is not a known one`, {
    remedy: 'look at the server; if the status is a new one, update polycloud',
  });
}

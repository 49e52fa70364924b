import { Failure } from '../../../lib/failure.ts';
import { neverFound } from '../../../lib/node/never-found.ts';
import { keys } from '../../../schemas/keys.ts';
import type { NodeFacts } from '../../cloud.ts';
import type { VmList } from './list.ts';
import type { VmLookup } from './one-of.ts';
import type { VmSearch } from './search.ts';
import type { Vcenter } from './vcenter.ts';

/**
 * Every vCenter has answered that it has no machine with any of these UUIDs. vCenter answers the same when the account may
 * not see the machine, so the object that was found last must be gone, and each vCenter has to show that it still sees
 * others.
 */
export async function absenceOf(
  uuids: readonly string[],
  node: NodeFacts,
  vcenters: readonly Vcenter[],
  search: VmSearch,
): Promise<VmLookup> {
  try {
    const objectId = await requireDeletedObject(node, vcenters, search);
    await Promise.all(vcenters.map((vcenter) => checkAbsence(uuids, vcenter, search)));
    const names = vcenters.map(({ session }) => session.target).join(', ');
    const evidence = `FindAllByUuid of ${names} returned no virtual machine for ${uuids.join(' and ')}`;
    return { status: 'not-found', evidence: `${evidence}; ${objectId} is ManagedObjectNotFound` };
  } catch (error) {
    if (error instanceof Failure) return { status: 'unknown', failure: error };
    throw error;
  }
}

/** The object that was the Node's machine last: it may be hidden, or have another UUID now. */
async function requireDeletedObject(
  { name, labels }: NodeFacts,
  vcenters: readonly Vcenter[],
  search: VmSearch,
): Promise<string> {
  const [home, id] = [labels[keys.vsphereVcenter], labels[keys.vsphereVm]];
  if (!home) throw neverFound(name, 'virtual machine', keys.vsphereVcenter);
  if (!id) throw neverFound(name, 'virtual machine', keys.vsphereVm);
  const vcenter = vcenters.find((each) => each.name === home);
  if (vcenter === undefined) throw inOtherVcenter(name);
  if (await search.isDeleted(vcenter, { type: 'VirtualMachine', id })) return id;
  throw new Failure('misconfigured', `${id} in ${home}, the machine of ${name}, exists, but is not found by its UUID`, {
    remedy: 'let the account read it, give it back its BIOS UUID (uuid.bios), or delete the Node',
  });
}

function inOtherVcenter(name: string): Failure {
  return new Failure('misconfigured', `${name} was found in a vCenter that the configuration does not have`, {
    remedy: `add it to vsphere.vcenters; its name is the label ${keys.vsphereVcenter}; or delete the Node`,
  });
}

/** Throws a `Failure` if there is a doubt. */
async function checkAbsence(uuids: readonly string[], vcenter: Vcenter, search: VmSearch): Promise<void> {
  const { all } = await listWithout(uuids, vcenter, search);
  const other = all[Math.floor(search.random() * all.length)];
  if (other === undefined) await requireRoles(vcenter, search);
  else if ((await search.byUuid(vcenter, other.uuid)).length === 0) throw contradiction(other.uuid, vcenter);
}

/** A missing machine costs one list in a minute, unless it was deleted meanwhile. */
const listAgeMs = 60_000;

async function listWithout(uuids: readonly string[], vcenter: Vcenter, search: VmSearch): Promise<VmList> {
  const listedIn = ({ byUuid }: VmList): string | undefined => uuids.find((uuid) => byUuid.has(uuid));
  const recent = await search.list(vcenter, listAgeMs);
  if (listedIn(recent) === undefined) return recent;
  const fresh = await search.list(vcenter);
  const listed = listedIn(fresh);
  if (listed !== undefined) throw contradiction(listed, vcenter);
  return fresh;
}

/** NoAccess, Anonymous and View; every other role can read. https://developer.broadcom.com/xapis/vsphere-web-services-api/latest/vim.AuthorizationManager.html */
const rolesWithoutRead: ReadonlySet<number> = new Set([-5, -4, -3]);

/** A vCenter that shows no machine at all has none only if the account could see them. */
async function requireRoles(vcenter: Vcenter, search: VmSearch): Promise<void> {
  if (await canRead(vcenter, search)) return;
  throw new Failure('denied', `${vcenter.session.target} shows no virtual machine to the account`, {
    remedy: 'give it the role Read-only on the datacenters, with "Propagate to children"',
  });
}

export async function canRead(vcenter: Vcenter, search: VmSearch): Promise<boolean> {
  const roles = await search.roles(vcenter);
  const datacenterCount = vcenter.config.datacenters?.length ?? 1;
  return roles.length === datacenterCount && roles.every((each) => each.some((role) => !rolesWithoutRead.has(role)));
}

function contradiction(uuid: string, { session }: Vcenter): Failure {
  return new Failure('invalid-response', `${session.target} lists ${uuid}, but does not find it by its UUID`, {
    remedy: 'it is asked again; if this stays, look at the virtual machine and the permissions of the account',
  });
}

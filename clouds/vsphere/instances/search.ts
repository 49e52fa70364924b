import { isIP } from 'node:net';
import type { Context } from '../../../lib/context.ts';
import type { VmDescription } from '../vm.ts';
import type { ManagedObject } from '../soap/envelope.ts';
import { findByName, findByUuid, isDeletedObject, rolesAtRoots } from './inventory.ts';
import type { VmList } from './list.ts';
import type { Vcenter } from './vcenter.ts';

/** A virtual machine, and where and how it was found. */
export interface VmHit {
  readonly vcenter: Vcenter;
  readonly vm: VmDescription;
  readonly by: 'id' | 'list';
}

/** The questions of one look-up. Each is asked once, also if several nodes need the response. */
export interface VmSearch {
  /** Asks for exactly this BIOS UUID. */
  byUuid(vcenter: Vcenter, uuid: string): Promise<readonly VmHit[]>;
  /** From the list. */
  inList(vcenter: Vcenter, uuid: string): Promise<readonly VmHit[]>;
  byName(vcenter: Vcenter, name: string, from: 'list' | 'id'): Promise<readonly VmHit[]>;
  list(vcenter: Vcenter, maxAgeMs?: number): Promise<VmList>;
  /** Does vCenter say that this very object does not exist? */
  isDeleted(vcenter: Vcenter, ref: ManagedObject): Promise<boolean>;
  /** Of the account, on each datacenter. */
  roles(vcenter: Vcenter): Promise<readonly (readonly number[])[]>;
  /** From 0 to below 1. */
  random(): number;
  answerCount(): number;
}

/** Shorter than the period of look-ups, so that none shows an old list twice. */
const freshMs = 3_000;

export function createVmSearch(context: Context): VmSearch {
  let answers = 0;
  const asked = new Map<string, Promise<readonly VmHit[]>>();
  const counted = async <T>(response: Promise<T>): Promise<T> => {
    const value = await response;
    answers += 1;
    return value;
  };
  const list = (vcenter: Vcenter, maxAgeMs = freshMs): Promise<VmList> => counted(vcenter.lists.get(maxAgeMs, context));

  async function askUuid(vcenter: Vcenter, uuid: string): Promise<readonly VmHit[]> {
    const { session } = vcenter;
    const vms = await counted(session.run((connection) => findByUuid(uuid, connection, context), context));
    const hits = hitsOf(vms, vcenter, 'id');
    if (hits.length <= 1 || vcenter.config.datacenters === undefined) return hits;
    // A copy in a datacenter that is not ours is no second candidate.
    const ours = (await list(vcenter)).byUuid.get(uuid) ?? [];
    const inOurs = hits.filter(({ vm }) => ours.some(({ ref }) => ref.id === vm.ref.id));
    return inOurs.length > 0 ? inOurs : hits;
  }

  return {
    byUuid: (vcenter, uuid) => {
      const key = `${vcenter.name} ${uuid}`;
      const response = asked.get(key) ?? askUuid(vcenter, uuid);
      asked.set(key, response);
      return response;
    },
    inList: async (vcenter, uuid) => hitsOf((await list(vcenter)).byUuid.get(uuid) ?? [], vcenter, 'list'),
    byName: async (vcenter, name, from) => {
      const vms = from === 'list' ? namedIn(await list(vcenter), name) : await counted(askName(vcenter, name, context));
      return hitsOf(vms, vcenter, 'list');
    },
    list,
    isDeleted: async ({ session }, ref) =>
      session.run((connection) => isDeletedObject(ref, connection, context), context),
    roles: async ({ session, config }) =>
      session.run((connection) => rolesAtRoots(config.datacenters, connection, context), context),
    random: () => context.random(),
    answerCount: () => answers,
  };
}

function hitsOf(vms: readonly VmDescription[], vcenter: Vcenter, by: VmHit['by']): readonly VmHit[] {
  return vms.map((vm) => ({ vcenter, vm, by }));
}

function askName({ session, config }: Vcenter, name: string, context: Context): Promise<readonly VmDescription[]> {
  return session.run((connection) => findByName(name, config.datacenters, connection, context), context);
}

function namedIn({ all }: VmList, name: string): readonly VmDescription[] {
  const wanted = name.toLowerCase();
  if (isIP(name) === 0) return all.filter(({ hostName }) => hostName.toLowerCase() === wanted);
  return all.filter(({ nics }) => nics.some(({ addresses }) => addresses.includes(name)));
}

import type { Context } from '../../../lib/context.ts';
import type { VcenterConfig } from '../../../schemas/config/vsphere.ts';
import type { VcenterSession } from '../session.ts';
import type { VmDescription } from '../vm.ts';
import { listVms } from './inventory.ts';

/** The virtual machines of a vCenter. One that is missing here may exist all the same. */
export interface VmList {
  readonly all: readonly VmDescription[];
  readonly byUuid: ReadonlyMap<string, readonly VmDescription[]>;
}

/** Lists for the look-ups of one sweep, which come shortly after one another. */
export interface VmListCache {
  /** One that is at most this old. */
  get(maxAgeMs: number, context: Context): Promise<VmList>;
}

export function createVmListCache(session: VcenterSession, { datacenters }: VcenterConfig): VmListCache {
  let latest: { readonly list: VmList; readonly readAtMs: number } | undefined;
  let pending: Promise<VmList> | undefined;

  async function load(context: Context): Promise<VmList> {
    try {
      const all = await session.run((connection) => listVms(datacenters, connection, context), context);
      const list = { all, byUuid: Map.groupBy(all, ({ uuid }) => uuid) };
      latest = { list, readAtMs: context.clock.monotonicMs() };
      return list;
    } finally {
      pending = undefined;
    }
  }

  return {
    get: async (maxAgeMs, context) => {
      if (latest !== undefined && context.clock.monotonicMs() - latest.readAtMs < maxAgeMs) return latest.list;
      pending ??= load(context);
      return pending;
    },
  };
}

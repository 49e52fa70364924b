import type { VirtualMachine } from '../schemas.ts';
import type { MachineAddresses } from './addresses.ts';

/**
 * The addresses of silent machines, which are looked up every few seconds: each interface would take a request every
 * time. A change of interfaces, or another machine of the same name, is read at once.
 */
export interface RecentAddresses {
  get(machine: VirtualMachine, nowMs: number): MachineAddresses | undefined;
  record(machine: VirtualMachine, addresses: MachineAddresses, nowMs: number): void;
}

const keptMs = 60_000;

export function createRecentAddresses(): RecentAddresses {
  /** The latest one last. */
  const kept = new Map<string, { readonly addresses: MachineAddresses; readonly readAtMs: number }>();

  return {
    get: (machine, nowMs) => {
      const found = kept.get(keyOf(machine));
      return found !== undefined && nowMs - found.readAtMs < keptMs ? found.addresses : undefined;
    },
    record: (machine, addresses, nowMs) => {
      if (addresses.hasUnread) return;
      kept.delete(keyOf(machine));
      kept.set(keyOf(machine), { addresses, readAtMs: nowMs });
      for (const [each, { readAtMs }] of kept) {
        if (nowMs - readAtMs < keptMs) break;
        kept.delete(each);
      }
    },
  };
}

function keyOf({ properties }: VirtualMachine): string {
  const ids = properties.networkProfile?.networkInterfaces?.map(({ id }) => id) ?? [];
  return [properties.vmId, ...ids].join(' ').toLowerCase();
}

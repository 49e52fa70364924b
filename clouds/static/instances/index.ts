import type { Host } from '../../../lib/host.ts';
import type { Instances, Scope } from '../../cloud.ts';

const scope: Scope = { cloud: 'static', key: 'static' };
const scheme = 'static://';
/** One file is read, however many nodes there are. */
const batchMax = 5_000;

/**
 * Machines in a list of the operator. The list is read for each look-up, so a changed list needs no restart.
 */
export function createStaticInstances(inventoryFile: string, host: Host): Instances {
  return {
    batchMax,
    scopesOf: ({ providerId }) => (!providerId || providerId.startsWith(scheme) ? [scope] : undefined),
    lookUp: async (_scope, { nodes, verify }) => {
      const [{ readInventory }, { findMachine }] = await Promise.all([
        import('../inventory.ts'),
        import('../find-machine.ts'),
      ]);
      const machines = await readInventory(inventoryFile, host);
      return new Map([...nodes, ...verify].map((node) => [node.uid, findMachine(node, machines, inventoryFile)]));
    },
    verifyAccess: async () => {
      const { readInventory } = await import('../inventory.ts');
      return readInventory(inventoryFile, host).then(
        (machines) => machines.length > 0,
        () => false,
      );
    },
  };
}

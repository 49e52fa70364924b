import { Failure } from '../../../lib/failure.ts';
import type { Host } from '../../../lib/host.ts';
import type { LookupResult, Instance, InstanceMetadata } from '../../cloud.ts';

/** A machine without a cloud has no metadata service, only the operator's list, which is on the machine. */
export function createStaticMetadata(inventoryFile: string, host: Host): InstanceMetadata {
  return {
    /** With an inventory this may be such a machine. It is one if no cloud recognises it. */
    detect: async () => {
      const { readInventory } = await import('../inventory.ts');
      return readInventory(inventoryFile, host).then(
        () => 'yes',
        () => 'unknown',
      );
    },
    describe: async (node) => {
      const [{ readInventory }, { findMachine: findingFor }] = await Promise.all([
        import('../inventory.ts'),
        import('../find-machine.ts'),
      ]);
      return instanceFrom(findingFor(node, await readInventory(inventoryFile, host), inventoryFile), inventoryFile);
    },
  };
}

function instanceFrom(result: LookupResult, inventoryFile: string): Instance {
  switch (result.status) {
    case 'running':
    case 'stopped':
      return result.instance;
    case 'unknown':
      throw result.failure;
    case 'terminated':
    case 'not-found':
      throw new Failure('not-found', `this machine is retired: ${result.evidence}`, {
        remedy: 'take retired: true away if the machine is in use again',
      });
    case 'ambiguous':
      throw new Failure(
        'misconfigured',
        `several machines of ${inventoryFile} could be this one: ${result.candidates.join(', ')}`,
        { remedy: 'give each a name and a system UUID of its own' },
      );
  }
}

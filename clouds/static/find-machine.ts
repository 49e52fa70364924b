import { Failure } from '../../lib/failure.ts';
import type { LookupResult, Instance, NodeFacts } from '../cloud.ts';
import type { InventoryMachine } from './schemas.ts';

const scheme = 'static://';

/** Only `retired: true` means that a machine is gone. A machine that is not in the list is unknown. */
export function findMachine(node: NodeFacts, machines: readonly InventoryMachine[], file: string): LookupResult {
  const candidates = candidatesFor(node, machines);
  const [machine, ...others] = candidates;
  if (machine === undefined) return { status: 'unknown', failure: notListed(node, file) };
  if (others.length > 0) return { status: 'ambiguous', candidates: candidates.map(describe) };
  if (machine.retired !== true) {
    return { status: 'running', instance: toInstance(machine), by: node.providerId ? 'id' : 'list' };
  }
  if (!node.providerId) return { status: 'unknown', failure: retired(node, machine, file) };
  return { status: 'terminated', evidence: `${file} says retired: true of ${machine.name}` };
}

/** A node with a providerID is the machine of that name and no other. */
function candidatesFor(node: NodeFacts, machines: readonly InventoryMachine[]): readonly InventoryMachine[] {
  if (node.providerId) return machines.filter(({ name }) => `${scheme}${name}` === node.providerId);
  const systemUuid = node.systemUuid?.toLowerCase();
  return machines.filter(
    (machine) =>
      machine.name === node.name || (systemUuid !== undefined && machine.systemUuid?.toLowerCase() === systemUuid),
  );
}

function toInstance({ name, type, region, zone, addresses, labels }: InventoryMachine): Instance {
  return {
    providerId: `${scheme}${name}`,
    ...(type !== undefined && { type }),
    ...(region !== undefined && { region }),
    ...(zone !== undefined && { zone }),
    addresses,
    labels,
  };
}

function describe({ name, systemUuid }: InventoryMachine): string {
  return systemUuid === undefined ? name : `${name} (${systemUuid})`;
}

function notListed({ name, providerId }: NodeFacts, file: string): Failure {
  const which = providerId ? `${name} (${providerId})` : name;
  return new Failure('not-found', `${which} is not in the inventory ${file}`, {
    remedy: 'add it there, by its name or its system UUID; to let its Node go, add it with retired: true',
  });
}

function retired({ name }: NodeFacts, machine: InventoryMachine, file: string): Failure {
  return new Failure('not-found', `${name} is ${machine.name}, which ${file} says is retired`, {
    remedy: 'take retired: true away if the machine is in use again',
  });
}

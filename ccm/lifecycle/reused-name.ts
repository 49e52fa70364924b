import type { LookupResult } from '../../clouds/index.ts';
import { Failure } from '../../lib/failure.ts';
import { isFound } from './result-kinds.ts';

/** The ids of the machine on which the kubelet runs, as the Node has them. */
export interface MachineIds {
  readonly systemUuid?: string;
  readonly bootId?: string;
}

/** What is known of the instance that a Node was made for. */
export interface InstanceIdentity {
  /** Its immutable id, from the annotation on the Node. */
  readonly instanceId?: string;
  readonly machine: MachineIds;
  /** The machine's ids when the cloud last reported this instance id. Absent after a restart of the controller. */
  readonly lastMachine?: MachineIds;
  /** May the Node be adopted because it is Ready, if nothing shows which machine its kubelet runs on? */
  readonly adoptsIfReady: boolean;
}

/**
 * A providerID that is only a name can belong to another instance later. Then the Node is adopted if the new machine's
 * kubelet has taken it over, and its own instance is terminated if not. If the machine is not known, the Node is adopted
 * once it is Ready, since some machine of that name runs its kubelet. Until then nothing is decided: the kubelet of a
 * new machine is not Ready at first, and it would not register again after a deletion.
 */
export function resolveReusedName(result: LookupResult, identity: InstanceIdentity): LookupResult {
  if (!isFound(result) || result.instance.instanceId === undefined || identity.instanceId === undefined) return result;
  const { instanceId } = result.instance;
  if (instanceId === identity.instanceId) return result;
  const machine = machineFor(identity, instanceId);
  if (machine === 'new' || (machine === 'unknown' && identity.adoptsIfReady)) return result;
  if (machine === 'unknown') return { status: 'unknown', failure: unknownMachine(instanceId) };
  if (result.by === 'list') return { status: 'unknown', failure: onlyInList(instanceId) };
  return { status: 'terminated', evidence: `replaced by ${instanceId}` };
}

/** On some clouds the instance id is the machine's UUID. Elsewhere its ids are compared with those of before. */
function machineFor(
  { instanceId: ownId, machine, lastMachine }: InstanceIdentity,
  newId: string,
): 'own' | 'new' | 'unknown' {
  if (isSameUuid(machine.systemUuid, newId)) return 'new';
  if (isSameUuid(machine.systemUuid, ownId)) return 'own';
  if (lastMachine === undefined) return 'unknown';
  if (isOtherMachine(lastMachine, machine)) return 'new';
  return machine.bootId !== undefined && machine.bootId === lastMachine.bootId ? 'own' : 'unknown';
}

/**
 * Firmware and kernel decide about the byte order of the first three parts. On Azure it differs between machines:
 * https://github.com/Azure/WALinuxAgent/issues/830
 */
function isSameUuid(ofMachine: string | undefined, id: string | undefined): boolean {
  if (ofMachine === undefined || id === undefined) return false;
  const [a, b] = [ofMachine.toLowerCase(), id.toLowerCase()];
  return a === b || a === inOtherByteOrder(b);
}

const uuidPattern =
  /^(?<a>..)(?<b>..)(?<c>..)(?<d>..)-(?<e>..)(?<f>..)-(?<g>..)(?<h>..)(?<rest>-[0-9a-f]{4}-[0-9a-f]{12})$/;

function inOtherByteOrder(uuid: string): string {
  return uuid.replace(uuidPattern, '$<d>$<c>$<b>$<a>-$<f>$<e>-$<h>$<g>$<rest>');
}

/** Has the machine been replaced, or started again? Ids that are not known both times do not count. */
export function isOtherMachine(before: MachineIds, now: MachineIds): boolean {
  return hasChanged(before.systemUuid, now.systemUuid) || hasChanged(before.bootId, now.bootId);
}

function hasChanged(before: string | undefined, now: string | undefined): boolean {
  return before !== undefined && now !== undefined && before !== now;
}

function unknownMachine(instanceId: string): Failure {
  const message = `another instance, ${instanceId}, has its name, and it is not known which of them its kubelet runs on`;
  return new Failure('invalid-response', message, {
    remedy: 'the Node is adopted when it is Ready; if its machine is gone for good, delete the Node',
  });
}

function onlyInList(instanceId: string): Failure {
  return new Failure('invalid-response', `a list has ${instanceId} under its name, and it was not looked up by id`, {
    remedy: 'it is looked up again; if this stays, report it',
  });
}

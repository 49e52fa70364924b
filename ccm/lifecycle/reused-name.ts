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
}

/**
 * A providerID that is only a name can belong to another instance later. Then the Node is adopted if the new machine's
 * kubelet has taken it over; otherwise its own instance is terminated.
 */
export function resolveReusedName(result: LookupResult, identity: InstanceIdentity): LookupResult {
  if (!isFound(result) || result.instance.instanceId === undefined || identity.instanceId === undefined) return result;
  const { instanceId } = result.instance;
  if (instanceId === identity.instanceId || isAdopted(identity, instanceId)) return result;
  if (result.by === 'list') return { status: 'unknown', failure: onlyInList(instanceId) };
  return { status: 'terminated', evidence: `replaced by ${instanceId}` };
}

/** On some clouds the instance id is the machine's UUID. Elsewhere the machine's ids have to be others than before. */
function isAdopted({ machine, lastMachine }: InstanceIdentity, instanceId: string): boolean {
  if (machine.systemUuid?.toLowerCase() === instanceId.toLowerCase()) return true;
  return hasChanged(lastMachine?.systemUuid, machine.systemUuid) || hasChanged(lastMachine?.bootId, machine.bootId);
}

function hasChanged(before: string | undefined, now: string | undefined): boolean {
  return before !== undefined && now !== undefined && before !== now;
}

function onlyInList(instanceId: string): Failure {
  return new Failure('invalid-response', `a list has ${instanceId} under its name, and it was not looked up by id`, {
    remedy: 'it is looked up again; if this stays, report it',
  });
}

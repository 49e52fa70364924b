import { Failure } from '../../../lib/failure.ts';
import type { Instance, LookupResult, NodeFacts } from '../../cloud.ts';
import { keys } from '../../../schemas/keys.ts';
import type { VsphereConfig } from '../../../schemas/config/vsphere.ts';
import { selectAddresses } from '../addresses.ts';
import { guestOsName } from '../guest-os.ts';
import { formatProviderId, parseProviderId } from '../provider-id.ts';
import type { VmDescription } from '../vm.ts';
import type { VmHit } from './search.ts';
import type { PlaceTags } from './tags.ts';

/** What was read of a machine besides itself. */
export interface VmSurroundings {
  readonly place: PlaceTags;
  readonly staticAddresses: readonly string[];
}

const nothingRead: VmSurroundings = { place: {}, staticAddresses: [] };

export function lookupResultOf(
  { vm, vcenter, by }: VmHit,
  node: NodeFacts,
  surroundings: VmSurroundings | Failure,
  config: VsphereConfig,
): LookupResult {
  const isRunning = vm.powerState === 'poweredOn';
  const { place, staticAddresses } = surroundings instanceof Failure ? nothingRead : surroundings;
  const addresses = selectAddresses({ ...vm, staticAddresses }, config);
  const problem =
    stateProblem(vm) ??
    (isRunning && addresses === undefined ? noAddress(vm) : undefined) ??
    placeProblem(surroundings, node, config);
  if (problem !== undefined) return { status: 'unknown', failure: problem };
  const instance: Instance = {
    providerId: providerIdFor(node, vm),
    type: typeOf(vm),
    ...place,
    addresses: addresses ?? [],
    labels: { [keys.vsphereVcenter]: vcenter.name, [keys.vsphereVm]: vm.ref.id },
  };
  return { status: isRunning ? 'running' : 'stopped', instance, by };
}

/** vCenter shows the last power state that it knew while it cannot reach the host. */
function stateProblem(vm: VmDescription): Failure | undefined {
  if (vm.powerState === 'poweredOn') return undefined;
  if (!stoppedStates.has(vm.powerState)) return unknownState(vm);
  return vm.connectionState === 'connected' ? undefined : unreachable(vm);
}

/** https://developer.broadcom.com/xapis/vsphere-web-services-api/latest/vim.VirtualMachine.PowerState.html */
const stoppedStates: ReadonlySet<string> = new Set(['poweredOff', 'suspended']);

/** A Node without its zone must not be initialised. One that has it keeps it. */
function placeProblem(
  surroundings: VmSurroundings | Failure,
  node: NodeFacts,
  config: VsphereConfig,
): Failure | undefined {
  return surroundings instanceof Failure && !hasPlace(node, config) ? surroundings : undefined;
}

function hasPlace({ labels }: NodeFacts, { tagCategories: { zone, region } }: VsphereConfig): boolean {
  const has = (key: string): boolean => Boolean(labels[key]);
  return (
    (zone === undefined || has('topology.kubernetes.io/zone')) &&
    (region === undefined || has('topology.kubernetes.io/region'))
  );
}

/** A Node's providerID cannot change, so it stays as it is written, in whatever byte order. */
function providerIdFor({ providerId = '' }: NodeFacts, { uuid }: VmDescription): string {
  return parseProviderId(providerId).is === 'instance' ? providerId : formatProviderId(uuid);
}

/** The same as in vCenter's own controller, whose GB are rounded down. */
function typeOf({ cpuCount, memoryMb, guestId }: VmDescription): string {
  return `vsphere-vm.cpu-${cpuCount}.mem-${Math.floor(memoryMb / 1024)}gb.os-${guestOsName(guestId)}`;
}

function unknownState({ ref, powerState }: VmDescription): Failure {
  const stateText = powerState.replaceAll(/\W/g, '').slice(0, 40);
  return new Failure('invalid-response', `the power state of ${ref.id} is ${stateText}, which is not a known one`, {
    remedy: 'look at the virtual machine; if the state is a new one, update polycloud',
  });
}

function unreachable({ ref, connectionState }: VmDescription): Failure {
  const stateText = connectionState.replaceAll(/\W/g, '').slice(0, 40) || 'unknown';
  return new Failure(
    'unavailable',
    `vCenter does not reach ${ref.id} (${stateText}), so it does not know its power state`,
    {
      remedy: 'it should pass; if it stays, look at the host of the virtual machine',
    },
  );
}

function noAddress({ ref }: VmDescription): Failure {
  return new Failure('unavailable', `VMware Tools in ${ref.id} report no address that the Node could have yet`, {
    remedy:
      'it should pass; if it stays, check that VMware Tools run, and vsphere.addresses and vsphere.ipFamilies in the configuration',
  });
}

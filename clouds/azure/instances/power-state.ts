import type { VirtualMachine } from '../schemas.ts';

/** Whether the kubelet can still run. It can until the machine is off. */
const isOn: Readonly<Record<string, boolean>> = {
  starting: true,
  running: true,
  stopping: true,
  stopped: false,
  deallocating: false,
  deallocated: false,
};
const settled = new Set(['succeeded', 'failed']);

/**
 * `undefined`: the machine does not show it. One that Azure is still changing counts as running, as for Azure's own
 * controller. A machine that is being deleted exists until it is gone.
 */
export function powerStateOf(machine: VirtualMachine): 'running' | 'stopped' | undefined {
  const provisioningState = machine.properties.provisioningState?.toLowerCase() ?? '';
  const state = shownState(machine);
  if (state === undefined) return provisioningState === 'creating' ? 'running' : undefined;
  const on = Object.hasOwn(isOn, state) ? isOn[state] : undefined;
  if (on === undefined) return undefined;
  return on || !settled.has(provisioningState) ? 'running' : 'stopped';
}

function shownState({ properties }: VirtualMachine): string | undefined {
  const codes = properties.instanceView?.statuses?.map(({ code }) => code.toLowerCase()) ?? [];
  return codes.find((code) => code.startsWith(prefix))?.slice(prefix.length);
}

const prefix = 'powerstate/';

import type { ManagedObject } from './soap/envelope.ts';
import type { ObjectProperties } from './soap/properties.ts';
import { childrenOf, textAt } from './soap/xml.ts';
import type { SoapElement } from './soap/xml.ts';
import { readReference } from './soap/envelope.ts';
import { parseUuid } from './provider-id.ts';

/** A virtual machine as vCenter describes it. */
export interface VmDescription {
  readonly ref: ManagedObject;
  /** For messages. */
  readonly name: string;
  /** Of the BIOS, in lower case. */
  readonly uuid: string;
  readonly isTemplate: boolean;
  readonly cpuCount: number;
  readonly memoryMb: number;
  readonly guestId: string;
  readonly powerState: string;
  readonly connectionState: string;
  /** As VMware Tools report them; empty while they do not run. */
  readonly hostName: string;
  readonly nics: readonly GuestNic[];
  readonly host: ManagedObject | undefined;
  readonly resourcePool: ManagedObject | undefined;
  readonly folder: ManagedObject | undefined;
}

export interface GuestNic {
  /** The port group. */
  readonly network: string;
  /** Is it a network card of the virtual machine? Those that software inside made are not. */
  readonly isVirtualCard: boolean;
  readonly addresses: readonly string[];
}

/** https://developer.broadcom.com/xapis/vsphere-web-services-api/latest/vim.VirtualMachine.html */
export const vmProperties: readonly string[] = [
  'name',
  'summary.config.uuid',
  'summary.config.template',
  'summary.config.numCpu',
  'summary.config.memorySizeMB',
  'summary.config.guestId',
  'runtime.powerState',
  'runtime.connectionState',
  'runtime.host',
  'resourcePool',
  'parent',
  'guest.hostName',
  'guest.net',
];

/** `undefined`: it has no BIOS UUID or no state that we can read. Nothing is known of it then. */
export function readVm({ ref, properties }: ObjectProperties): VmDescription | undefined {
  const text = (path: string): string => properties.get(path)?.text.trim() ?? '';
  const uuid = parseUuid(text('summary.config.uuid'));
  const powerState = text('runtime.powerState');
  if (ref.type !== 'VirtualMachine' || uuid === undefined || powerState === '') return undefined;
  return {
    ref,
    name: text('name') || ref.id,
    uuid,
    isTemplate: text('summary.config.template') === 'true',
    cpuCount: Number(text('summary.config.numCpu')) || 0,
    memoryMb: Number(text('summary.config.memorySizeMB')) || 0,
    guestId: text('summary.config.guestId'),
    powerState,
    connectionState: text('runtime.connectionState'),
    hostName: text('guest.hostName'),
    nics: childrenOf(properties.get('guest.net'), 'GuestNicInfo').map(readNic),
    host: readReference(properties.get('runtime.host')),
    resourcePool: readReference(properties.get('resourcePool')),
    folder: readReference(properties.get('parent')),
  };
}

/** Software such as container networks makes cards with the id -1. */
function readNic(nic: SoapElement): GuestNic {
  return {
    network: textAt(nic, 'network') ?? '',
    isVirtualCard: textAt(nic, 'deviceConfigId') !== '-1',
    addresses: childrenOf(nic, 'ipAddress').map(({ text }) => text.trim()),
  };
}

import type { Machine } from '../../../lab/clouds/azure/machine.ts';
import { metadataMachineOf } from '../../../lab/clouds/azure/metadata-machine.ts';
import { labGroup } from '../../../lab/clouds/azure/virtual-machine.ts';
import type { LabVirtualMachine } from '../../../lab/clouds/azure/virtual-machine.ts';

/** A machine as the Resource Manager and its own metadata service have it. */
export interface PeerMachine {
  readonly what: string;
  readonly nodeName: string;
  readonly resource: LabVirtualMachine;
  readonly metadata: Partial<Machine>;
}

const size = 'Standard_D4ps_v6';
const location = 'westeurope';
/** Azure writes groups in capitals in some of its answers. */
const group = labGroup.replace(/lab$/, 'LAB');

export const peerMachines: readonly PeerMachine[] = [
  machine({
    what: 'in a zone, with a part of a fault domain',
    name: 'web-0',
    zone: '2',
    subFaultDomain: '3',
    addresses: [{ privateIp: '10.1.0.4' }],
  }),
  machine({
    what: 'with two interfaces',
    name: 'web-4',
    zone: '2',
    addresses: [{ privateIp: '10.1.0.9' }],
    furtherAddresses: [{ privateIp: '10.1.1.9' }],
  }),
  machine({ what: 'where there are no zones', name: 'web-1', faultDomain: 1, addresses: [{ privateIp: '10.1.0.5' }] }),
  machine({
    what: 'with the name of its group in its own',
    name: 'LAB-web',
    zone: '2',
    addresses: [{ privateIp: '10.1.0.8' }],
  }),
  machine({
    what: 'with a public address',
    name: 'web-2',
    zone: '1',
    addresses: [{ privateIp: '10.1.0.6', publicIp: '51.0.0.6' }],
  }),
  machine({
    what: 'of both families, with public addresses',
    name: 'web-3',
    zone: '3',
    addresses: [
      { privateIp: '10.1.0.7', publicIp: '51.0.0.7' },
      { privateIp: 'fd00::7', publicIp: '2603:10e1:100:2::7' },
    ],
  }),
  machine({
    what: 'of a scale set, in a zone',
    set: 'pool',
    name: '11',
    zone: '1',
    addresses: [{ privateIp: '10.2.0.4' }],
  }),
  machine({
    what: 'of a scale set, where there are no zones, with a public address',
    set: 'pool',
    name: '12',
    faultDomain: 2,
    addresses: [{ privateIp: '10.2.0.5', publicIp: '51.0.0.25' }],
  }),
  machine({
    what: 'of a flexible scale set, where there are no zones, with a public address',
    name: 'flex0a1b2c',
    flexibleSet: 'flex',
    faultDomain: 1,
    addresses: [{ privateIp: '10.3.0.4', publicIp: '51.0.0.34' }],
  }),
];

interface MachineSettings {
  readonly what: string;
  /** The last part of its id: the name, or the number in its scale set. */
  readonly name: string;
  /** With uniform orchestration. */
  readonly set?: string;
  readonly flexibleSet?: string;
  readonly zone?: string;
  readonly faultDomain?: number;
  /** Only its metadata has it. */
  readonly subFaultDomain?: string;
  readonly addresses: Addresses;
  /** Of another interface, which is not the primary one. */
  readonly furtherAddresses?: Addresses;
}

type Addresses = LabVirtualMachine['interfaces'][number]['addresses'];

function machine(settings: MachineSettings): PeerMachine {
  const { what, name, set, subFaultDomain = '' } = settings;
  // A kubelet takes the name of the system: in a scale set its prefix and the number in base 36.
  const nodeName = set === undefined ? name.toLowerCase() : `${set}${Number(name).toString(36).padStart(6, '0')}`;
  const resource = resourceOf(settings);
  return { what, nodeName, resource, metadata: { ...metadataMachineOf(resource), subFaultDomain } };
}

function resourceOf(settings: MachineSettings): LabVirtualMachine {
  const { name, set, flexibleSet, zone, faultDomain = 0, addresses, furtherAddresses } = settings;
  const parent = set === undefined ? '' : `/virtualMachineScaleSets/${set}`;
  return {
    id: `${group}/providers/Microsoft.Compute${parent}/virtualMachines/${name}`,
    vmId: vmIdOf(addresses[0]?.privateIp),
    ...(flexibleSet !== undefined && {
      flexibleSet: `${group}/providers/Microsoft.Compute/virtualMachineScaleSets/${flexibleSet}`,
    }),
    size,
    location,
    zones: zone === undefined ? [] : [zone],
    faultDomain,
    powerState: 'running',
    provisioningState: 'Succeeded',
    interfaces: [
      { primary: true, addresses },
      ...(furtherAddresses === undefined ? [] : [{ primary: false, addresses: furtherAddresses }]),
    ],
  };
}

function vmIdOf(address = ''): string {
  return `55555555-5555-4555-8555-${address.replaceAll(/\D/g, '').padStart(12, '0')}`;
}

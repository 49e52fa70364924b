import { isIPv6 } from 'node:net';
import type { LabInterface, LabVirtualMachine } from './virtual-machine.ts';

/** Of each resource by its id in lower case. `expand`: what the request has as `$expand`. */
export type ResourceDocuments = ReadonlyMap<string, (expand: string) => ResourceDocument>;

export interface ResourceDocument {
  readonly [field: string]: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
}

export const withState = 'instanceView';
const withPublicIps = 'ipConfigurations/publicIPAddress';

/**
 * A machine, its interfaces and its public addresses. Shapes:
 * https://learn.microsoft.com/rest/api/compute/virtual-machines/get
 * https://learn.microsoft.com/rest/api/compute/virtual-machine-scale-set-vms/get
 * https://learn.microsoft.com/rest/api/virtualnetwork/network-interfaces/get
 * https://learn.microsoft.com/rest/api/virtualnetwork/public-ip-addresses/get
 */
export function documentsOf(machine: LabVirtualMachine): ResourceDocuments {
  const interfaces = machine.interfaces.map((each, index) => ({ each, id: interfaceId(machine, index) }));
  const publicIps = interfaces.flatMap(({ each, id }) =>
    each.addresses.flatMap(({ publicIp }, index) =>
      publicIp === undefined ? [] : [[publicIpId(id, index), publicIp] as const],
    ),
  );
  return new Map<string, (expand: string) => ResourceDocument>([
    [machine.id.toLowerCase(), (expand) => machineDocument(machine, expand)],
    [`${machine.id}/instanceView`.toLowerCase(), () => instanceViewOf(machine)],
    ...interfaces.map(
      ({ each, id }) => [id.toLowerCase(), (expand: string) => interfaceDocument(each, id, expand)] as const,
    ),
    ...publicIps.map(([id, publicIp]) => [id.toLowerCase(), () => publicIpDocument(id, publicIp)] as const),
  ]);
}

function isOfScaleSet({ id }: LabVirtualMachine): boolean {
  return id.includes('/virtualMachineScaleSets/');
}

/** The names of the systems: that of the machine, or the set's name and six characters. */
export function computerNameOf(machine: LabVirtualMachine): string {
  const name = machine.id.split('/').at(-1) ?? '';
  if (!isOfScaleSet(machine)) return name.toLowerCase();
  const set = machine.id.replace(/\/virtualMachines\/[^/]*$/, '');
  return `${computerNamePrefix(set)}${Number(name).toString(36).padStart(6, '0')}`;
}

export function computerNamePrefix(scaleSetId: string): string {
  return scaleSetId.split('/').at(-1)?.toLowerCase() ?? '';
}

function interfaceId(machine: LabVirtualMachine, index: number): string {
  if (isOfScaleSet(machine)) return `${machine.id}/networkInterfaces/nic${index}`;
  const [group = '', name = ''] = machine.id.split('/providers/Microsoft.Compute/virtualMachines/');
  return `${group}/providers/Microsoft.Network/networkInterfaces/${name}-nic${index}`;
}

function publicIpId(ofInterface: string, index: number): string {
  if (ofInterface.includes('/virtualMachineScaleSets/')) {
    return `${ofInterface}/ipConfigurations/ipconfig${index}/publicIPAddresses/ip`;
  }
  return `${ofInterface.replace('/networkInterfaces/', '/publicIPAddresses/')}-ip${index}`;
}

function machineDocument(machine: LabVirtualMachine, expand: string): ResourceDocument {
  const { id, vmId, size, location, zones, provisioningState } = machine;
  const networkInterfaces = machine.interfaces.map((each, index) => ({
    id: interfaceId(machine, index),
    ...(machine.interfaces.length > 1 && { properties: { primary: each.primary } }),
  }));
  return {
    ...namesOf(machine),
    id,
    type: isOfScaleSet(machine)
      ? 'Microsoft.Compute/virtualMachineScaleSets/virtualMachines'
      : 'Microsoft.Compute/virtualMachines',
    location,
    ...(zones.length > 0 && { zones }),
    ...(isOfScaleSet(machine) && { sku: { name: size, tier: 'Standard' } }),
    properties: {
      vmId,
      ...(machine.flexibleSet !== undefined && { virtualMachineScaleSet: { id: machine.flexibleSet } }),
      ...(!isOfScaleSet(machine) && { hardwareProfile: { vmSize: size } }),
      provisioningState,
      osProfile: { computerName: computerNameOf(machine) },
      networkProfile: { networkInterfaces },
      ...(isSame(expand, withState) && { instanceView: instanceViewOf(machine) }),
    },
  };
}

/** https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-instance-ids */
function namesOf({ id }: LabVirtualMachine): ResourceDocument {
  const last = id.split('/').at(-1);
  const scaleSet = /\/virtualMachineScaleSets\/([^/]+)/.exec(id)?.[1];
  return scaleSet === undefined ? { name: last } : { name: `${scaleSet}_${last ?? ''}`, instanceId: last };
}

/** https://learn.microsoft.com/rest/api/compute/virtual-machines/instance-view */
function instanceViewOf({ faultDomain, powerState, provisioningState }: LabVirtualMachine): ResourceDocument {
  const statuses = [
    { code: `ProvisioningState/${provisioningState.toLowerCase()}`, level: 'Info' },
    ...(powerState === null ? [] : [{ code: `PowerState/${powerState}`, level: 'Info' }]),
  ];
  return { ...(faultDomain !== null && { platformUpdateDomain: 0, platformFaultDomain: faultDomain }), statuses };
}

function interfaceDocument({ primary, addresses }: LabInterface, id: string, expand: string): ResourceDocument {
  const ipConfigurations = addresses.map(({ privateIp, publicIp }, index) => {
    const reference = publicIp === undefined ? undefined : publicIpDocument(publicIpId(id, index), publicIp);
    return {
      name: `ipconfig${index}`,
      id: `${id}/ipConfigurations/ipconfig${index}`,
      properties: {
        provisioningState: 'Succeeded',
        privateIPAddress: privateIp,
        privateIPAddressVersion: isIPv6(privateIp) ? 'IPv6' : 'IPv4',
        primary: index === 0,
        ...(reference && { publicIPAddress: isSame(expand, withPublicIps) ? reference : { id: reference.id } }),
      },
    };
  });
  return { name: id.split('/').at(-1), id, properties: { provisioningState: 'Succeeded', ipConfigurations, primary } };
}

interface PublicIpDocument extends ResourceDocument {
  readonly id: string;
}

function publicIpDocument(id: string, ipAddress: string): PublicIpDocument {
  return { id, name: id.split('/').at(-1), properties: { provisioningState: 'Succeeded', ipAddress } };
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

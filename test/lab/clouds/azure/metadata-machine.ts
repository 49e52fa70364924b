import { isIPv4, isIPv6 } from 'node:net';
import type { Machine } from './machine.ts';
import type { LabInterface, LabVirtualMachine } from './virtual-machine.ts';

/** The machine of the metadata service for one that the Resource Manager has. */
export function metadataMachineOf(machine: LabVirtualMachine): Partial<Machine> {
  return {
    ...resourceOf(machine),
    ...networkOf(machine),
    vmId: machine.vmId,
    vmSize: machine.size,
    // The Resource Manager has it with spaces too.
    location: machine.location.replaceAll(' ', ''),
    zone: machine.zones[0] ?? '',
    faultDomain: String(machine.faultDomain ?? ''),
  };
}

function resourceOf({ id }: LabVirtualMachine): Partial<Machine> {
  const [, , subscriptionId = '', , resourceGroup = ''] = id.split('/');
  const { name = '', number = '' } =
    /\/virtualMachineScaleSets\/(?<name>[^/]+)\/virtualMachines\/(?<number>\d+)$/.exec(id)?.groups ?? {};
  return {
    subscriptionId,
    resourceGroup,
    name: name === '' ? (id.split('/').at(-1) ?? '') : `${name}_${number}`,
    scaleSet: name === '' ? null : { name, number },
  };
}

function networkOf({ interfaces }: LabVirtualMachine): Partial<Machine> {
  const [first, ...others] = interfaces.map(addressesOf);
  return {
    privateIp: first?.ipv4 ?? '',
    ipv6: first?.ipv6 ?? null,
    moreInterfaces: others,
    publicIps: interfaces.flatMap(publicIpsOf),
  };
}

function addressesOf({ addresses }: LabInterface): Machine['moreInterfaces'][number] {
  const all = addresses.map(({ privateIp }) => privateIp);
  const ipv6 = all.find(isIPv6);
  return { ipv4: all.find(isIPv4) ?? '', ...(ipv6 !== undefined && { ipv6 }) };
}

function publicIpsOf({ addresses }: LabInterface): NonNullable<Machine['publicIps']> {
  return addresses.flatMap(({ privateIp, publicIp }) =>
    publicIp === undefined ? [] : [{ frontend: publicIp, private: privateIp }],
  );
}

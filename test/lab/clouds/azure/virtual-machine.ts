/** A virtual machine as the Resource Manager knows it. */
export interface LabVirtualMachine {
  /** As Azure writes it: with `virtualMachineScaleSets` in it, it is one of a uniform scale set. */
  readonly id: string;
  readonly vmId: string;
  /** The id of the set with flexible orchestration that it belongs to. */
  readonly flexibleSet?: string;
  readonly size: string;
  readonly location: string;
  readonly zones: readonly string[];
  /** `null`: its instance view does not show it. */
  readonly faultDomain: number | null;
  /** `null`: its instance view does not show it. */
  readonly powerState: string | null;
  readonly provisioningState: string;
  readonly interfaces: readonly LabInterface[];
}

export interface LabInterface {
  readonly primary: boolean;
  /** The first is the primary one of its family. */
  readonly addresses: readonly { readonly privateIp: string; readonly publicIp?: string }[];
}

export interface ResourceManagerState {
  /** By id, in lower case. */
  readonly subscriptions: Record<string, { readonly tenantId: string }>;
  /** Ids, as Azure writes them. */
  readonly resourceGroups: readonly string[];
  readonly machines: readonly LabVirtualMachine[];
  /** Of lists. */
  readonly pageSize: number;
  /**
   * As documented, and Azure's own controller needs it:
   * https://learn.microsoft.com/rest/api/compute/virtualmachinescalesets/list-all-vm-instance-views-in-a-set. A list
   * without them was seen too: https://github.com/MicrosoftDocs/azure-docs/issues/94444.
   */
  readonly faultDomainsInLists: boolean;
  /** Ids of machines that are in no list, though they can be read. */
  readonly leftOutOfLists: readonly string[];
  /** Ids of machines that cannot be read, though lists have them. */
  readonly hiddenFromGet: readonly string[];
  /** Object ids of those with the role Reader on everything. */
  readonly readers: readonly string[];
}

export const labSubscription = '33333333-3333-4333-8333-333333333333';
export const labGroup = `/subscriptions/${labSubscription}/resourceGroups/lab`;

export interface LabMachines {
  readonly count: number;
  /** Of a uniform scale set; absent: each is a machine of its own. */
  readonly scaleSet?: string;
  /** Tells the ids and addresses of two sets apart; 0 to 99. */
  readonly number: number;
}

/** That many running machines with one interface each, the same for the same wishes. */
export function virtualMachines({ count, scaleSet, number }: LabMachines): readonly LabVirtualMachine[] {
  return Array.from({ length: count }, (_each, index) => {
    const set = scaleSet === undefined ? '' : `/virtualMachineScaleSets/${scaleSet}`;
    const name = scaleSet === undefined ? `lab-vm-${number}-${index}` : String(index);
    const digits = (number * 1_000_000 + index).toString(16).padStart(12, '0');
    return {
      id: `${labGroup}/providers/Microsoft.Compute${set}/virtualMachines/${name}`,
      vmId: `55555555-5555-4555-8555-${digits}`,
      size: 'Standard_D4ps_v6',
      location: 'westeurope',
      zones: [String((index % 3) + 1)],
      faultDomain: 0,
      powerState: 'running',
      provisioningState: 'Succeeded',
      interfaces: [{ primary: true, addresses: [{ privateIp: `10.${number}.${index >> 8}.${index & 255}` }] }],
    };
  });
}

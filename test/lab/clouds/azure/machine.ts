/** The machine that the metadata service is on. */
export interface Machine {
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  readonly name: string;
  readonly vmId: string;
  readonly vmSize: string;
  readonly location: string;
  /** Empty: its region has no zones. */
  readonly zone: string;
  readonly faultDomain: string;
  /** Empty on most machines. */
  readonly subFaultDomain: string;
  readonly environment: string;
  readonly privateIp: string;
  readonly ipv6?: string | null;
  /** Of the Basic SKU: it is in the instance document. */
  readonly publicIp?: string | null;
  /** Further interfaces, by their addresses. */
  readonly moreInterfaces: readonly { readonly ipv4: string; readonly ipv6?: string }[];
  /** Of a scale set with uniform orchestration. */
  readonly scaleSet?: { readonly name: string; readonly number: string } | null;
  /** Public addresses of the Standard SKU. `null`: there is no load balancer. */
  readonly publicIps: readonly { readonly frontend: string; readonly private: string }[] | null;
}

export function initialMachine(): Machine {
  return {
    subscriptionId: '33333333-3333-4333-8333-333333333333',
    resourceGroup: 'lab',
    name: 'lab-vm_0',
    vmId: '44444444-4444-4444-8444-444444444444',
    vmSize: 'Standard_D4ps_v6',
    location: 'westeurope',
    zone: '2',
    faultDomain: '0',
    subFaultDomain: '',
    environment: 'AzurePublicCloud',
    privateIp: '10.1.0.4',
    moreInterfaces: [],
    publicIps: null,
  };
}

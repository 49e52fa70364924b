/** The resource of a virtual machine. Azure's answers differ in case, and its names are equal in any case. */
export interface MachineResource {
  /** In lower case. */
  readonly subscriptionId: string;
  /** In lower case. */
  readonly resourceGroup: string;
  /** Of a scale set with uniform orchestration. The machines of a flexible one are virtual machines of their own. */
  readonly scaleSet: string | undefined;
  /** The name of the virtual machine, or its number in the scale set. */
  readonly name: string;
}

/** What a providerID means for Azure. */
export type AzureProviderId =
  | { readonly is: 'machine'; readonly resource: MachineResource }
  /** It has Azure's scheme but names no virtual machine: nothing may be concluded about it. */
  | { readonly is: 'unreadable' }
  /** It is another cloud's. */
  | { readonly is: 'foreign' };

const scheme = 'azure://';
/** https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules */
const resourcePattern = new RegExp(
  [
    '^/subscriptions/(?<subscriptionId>[\\w-]{1,64})',
    '/resourceGroups/(?<resourceGroup>[\\p{L}\\p{N}_().-]{1,90})',
    '/providers/Microsoft\\.Compute',
    '(?:/virtualMachineScaleSets/(?<scaleSet>[\\w.-]{1,64})/virtualMachines/(?<number>\\d{1,10})',
    '|/virtualMachines/(?<name>[\\w.-]{1,64}))$',
  ].join(''),
  'iu',
);

/** `azure://` and the id of the resource. */
export function parseProviderId(text: string): AzureProviderId {
  if (!text.startsWith('azure:')) return { is: 'foreign' };
  const resource = text.startsWith(scheme) ? parseResourceId(text.slice(scheme.length)) : undefined;
  return resource === undefined ? { is: 'unreadable' } : { is: 'machine', resource };
}

/** `undefined`: it is not the id of a virtual machine. */
export function parseResourceId(id: string): MachineResource | undefined {
  const { subscriptionId, resourceGroup, scaleSet, number, name } = resourcePattern.exec(id)?.groups ?? {};
  const lastPart = number ?? name;
  if (subscriptionId === undefined || resourceGroup === undefined || lastPart === undefined) return undefined;
  return {
    subscriptionId: subscriptionId.toLowerCase(),
    resourceGroup: resourceGroup.toLowerCase(),
    scaleSet,
    name: lastPart,
  };
}

/** As Azure's own programs write it: the resource group in lower case, the other names as Azure has them. */
export function formatProviderId(resource: MachineResource): string {
  return `${scheme}${formatResourceId(resource)}`;
}

export function formatResourceId(resource: MachineResource): string {
  const set = resource.scaleSet === undefined ? '' : `/virtualMachineScaleSets/${resource.scaleSet}`;
  return `${formatGroupId(resource)}/providers/Microsoft.Compute${set}/virtualMachines/${resource.name}`;
}

export function formatGroupId({ subscriptionId, resourceGroup }: MachineResource): string {
  return `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}`;
}

/** The same for ids of one resource, in whatever case they are written. */
export function resourceKey(resource: MachineResource): string {
  return formatResourceId(resource).toLowerCase();
}

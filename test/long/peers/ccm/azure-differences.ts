/** In which of Azure's programs' two ways a Node was described. */
export type DescribedBy = 'metadata service' | 'Resource Manager';

export interface KnownDifference {
  /** As the guide for Azure has it. */
  readonly row: string;
  readonly by: readonly DescribedBy[];
  readonly pattern: RegExp;
}

/** All differences between the Nodes of Azure's programs and ours. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    row: 'Labels of older versions, `failure-domain.beta.kubernetes.io/zone` and the like',
    by: ['metadata service', 'Resource Manager'],
    pattern: /^(?:beta\.kubernetes\.io|failure-domain\.beta\.kubernetes\.io)\/[a-z-]+: absent \| /,
  },
  {
    row: 'IPv6 addresses of a machine with both families, by the Resource Manager',
    by: ['Resource Manager'],
    pattern: /^(?:InternalIP|ExternalIP): (?<ipv4>[\d.]+) \| \k<ipv4>, [\da-f:]+$/,
  },
  {
    row: 'Fault domain as the zone, for a machine outside a scale set, by the Resource Manager',
    by: ['Resource Manager'],
    pattern: /^topology\.kubernetes\.io\/zone: 0 \| 1$/,
  },
  {
    row: 'providerID of a machine whose name contains that of its resource group',
    by: ['metadata service'],
    pattern: /^providerID: (?<before>\S+)\/lab-web \| \k<before>\/LAB-web$/,
  },
];

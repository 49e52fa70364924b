/** A partition is a separate AWS, with its own names. https://docs.aws.amazon.com/general/latest/gr/rande.html */
export interface AwsPartition {
  readonly name: string;
  readonly regions: RegExp;
  readonly suffix: string;
  /** Suffix of API names with IPv6 too. */
  readonly dualStackSuffix: string;
  /** Suffix of ECR's image hosts with IPv6 too. Not every partition has them. */
  readonly dualStackImageSuffix?: string;
  readonly fips: boolean;
  /** Services whose plain name is the FIPS one here; there is no other. */
  readonly plainIsFips?: readonly string[];
}

export const partitions: readonly AwsPartition[] = [
  {
    name: 'aws',
    // Any two letters except China's, so that new regions are served as soon as they open.
    regions: /^(?!cn-)[a-z]{2}-(?!gov-|iso[a-z]?-)[a-z]+-\d{1,2}$/,
    suffix: 'amazonaws.com',
    dualStackSuffix: 'api.aws',
    dualStackImageSuffix: 'on.aws',
    fips: true,
  },
  {
    name: 'aws-us-gov',
    plainIsFips: ['ec2', 'sts'],
    regions: /^us-gov-[a-z]+-\d{1,2}$/,
    suffix: 'amazonaws.com',
    dualStackSuffix: 'api.aws',
    dualStackImageSuffix: 'on.aws',
    fips: true,
  },
  {
    name: 'aws-cn',
    regions: /^cn-[a-z]+-\d{1,2}$/,
    suffix: 'amazonaws.com.cn',
    dualStackSuffix: 'api.amazonwebservices.com.cn',
    dualStackImageSuffix: 'on.amazonwebservices.com.cn',
    fips: false,
  },
  {
    name: 'aws-eusc',
    regions: /^eusc-[a-z]{2}-[a-z]+-\d{1,2}$/,
    suffix: 'amazonaws.eu',
    dualStackSuffix: 'api.amazonwebservices.eu',
    fips: true,
  },
  {
    name: 'aws-iso',
    regions: /^us-iso-[a-z]+-\d{1,2}$/,
    suffix: 'c2s.ic.gov',
    dualStackSuffix: 'api.aws.ic.gov',
    fips: true,
  },
  {
    name: 'aws-iso-b',
    regions: /^us-isob-[a-z]+-\d{1,2}$/,
    suffix: 'sc2s.sgov.gov',
    dualStackSuffix: 'api.aws.scloud',
    fips: true,
  },
  {
    name: 'aws-iso-e',
    regions: /^eu-isoe-[a-z]+-\d{1,2}$/,
    suffix: 'cloud.adc-e.uk',
    dualStackSuffix: 'api.cloud-aws.adc-e.uk',
    fips: true,
  },
  {
    name: 'aws-iso-f',
    regions: /^us-isof-[a-z]+-\d{1,2}$/,
    suffix: 'csp.hci.ic.gov',
    dualStackSuffix: 'api.aws.hci.ic.gov',
    fips: true,
  },
];

export function partitionOfRegion(region: string): AwsPartition | undefined {
  return partitions.find((partition) => partition.regions.test(region));
}

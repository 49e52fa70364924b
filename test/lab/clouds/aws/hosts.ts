export type RegionalService = 'ec2' | 'ecr' | 'ecr-public' | 'sts';

export interface Endpoint {
  readonly service: RegionalService;
  readonly region: string;
}

/** Which service of which region a production host name is. */
export function endpointOf(hostHeader: string): Endpoint | undefined {
  const host = hostHeader.replace(/:443$/, '');
  if (host === globalStsHost) return { service: 'sts', region: 'us-east-1' };
  for (const { region, service } of candidates(host)) {
    if (hostsOf(region).some((known) => known.name === host)) return { service, region };
  }
  return undefined;
}

export interface ProductionHost {
  readonly name: string;
  readonly service: RegionalService;
  /** Has an IPv6 address as well. */
  readonly dualStack: boolean;
}

/** Every API host name of a region that this cloud answers to. */
export function hostsOf(region: string): readonly ProductionHost[] {
  const partition = partitionOf(region);
  const regional = names.flatMap(({ service, dualStack, prefix, regions }) => {
    if (regions && !regions.includes(region)) return [];
    const suffix = dualStack ? partition.dualStackSuffix : partition.suffix;
    return [{ name: `${prefix}.${region}.${suffix}`, service, dualStack }];
  });
  return region === 'us-east-1' ? [...regional, { name: globalStsHost, service: 'sts', dualStack: false }] : regional;
}

export interface LabPartition {
  readonly name: string;
  readonly suffix: string;
  readonly dualStackSuffix: string;
}

export function partitionOf(region: string): LabPartition {
  return partitions.find(({ regionPrefix }) => region.startsWith(regionPrefix)) ?? commercial;
}

const globalStsHost = 'sts.amazonaws.com';

const commercial: LabPartition = { name: 'aws', suffix: 'amazonaws.com', dualStackSuffix: 'api.aws' };

const partitions: readonly (LabPartition & { readonly regionPrefix: string })[] = [
  special('cn-', 'aws-cn', 'amazonaws.com.cn', 'api.amazonwebservices.com.cn'),
  special('us-gov-', 'aws-us-gov', 'amazonaws.com', 'api.aws'),
  special('us-iso-', 'aws-iso', 'c2s.ic.gov', 'api.aws.ic.gov'),
  special('us-isob-', 'aws-iso-b', 'sc2s.sgov.gov', 'api.aws.scloud'),
  special('eu-isoe-', 'aws-iso-e', 'cloud.adc-e.uk', 'api.cloud-aws.adc-e.uk'),
  special('us-isof-', 'aws-iso-f', 'csp.hci.ic.gov', 'api.aws.hci.ic.gov'),
  special('eusc-', 'aws-eusc', 'amazonaws.eu', 'api.amazonwebservices.eu'),
];

function special(
  regionPrefix: string,
  name: string,
  suffix: string,
  dualStackSuffix: string,
): LabPartition & { regionPrefix: string } {
  return { regionPrefix, name, suffix, dualStackSuffix };
}

interface HostForm {
  readonly service: RegionalService;
  readonly prefix: string;
  readonly dualStack: boolean;
  /** The only regions that have it. */
  readonly regions?: readonly string[];
}

const publicRegions = ['us-east-1', 'us-west-2'];

const names: readonly HostForm[] = [
  { service: 'ec2', prefix: 'ec2', dualStack: false },
  { service: 'ec2', prefix: 'ec2-fips', dualStack: false },
  { service: 'ec2', prefix: 'ec2', dualStack: true },
  { service: 'ec2', prefix: 'ec2-fips', dualStack: true },
  { service: 'ecr', prefix: 'api.ecr', dualStack: false },
  { service: 'ecr', prefix: 'ecr', dualStack: false },
  { service: 'ecr', prefix: 'ecr-fips', dualStack: false },
  { service: 'ecr', prefix: 'api.ecr-fips', dualStack: false },
  { service: 'ecr', prefix: 'ecr', dualStack: true },
  { service: 'ecr', prefix: 'ecr-fips', dualStack: true },
  { service: 'ecr-public', prefix: 'api.ecr-public', dualStack: false, regions: publicRegions },
  { service: 'ecr-public', prefix: 'ecr-public', dualStack: true, regions: publicRegions },
  { service: 'sts', prefix: 'sts', dualStack: false },
  { service: 'sts', prefix: 'sts-fips', dualStack: false },
  { service: 'sts', prefix: 'sts', dualStack: true },
];

/** Read off the beginning of the name alone: whether the end fits the region is checked after. */
function* candidates(host: string): Generator<Endpoint> {
  for (const { service, prefix } of names) {
    const region = host.startsWith(`${prefix}.`) ? host.slice(prefix.length + 1).split('.')[0] : undefined;
    if (region) yield { service, region };
  }
}

import { parseHttpAddress } from '../../lib/http/address.ts';
import type { Environment } from '../../lib/environment.ts';
import { partitionOfRegion } from './partitions.ts';
import type { AwsPartition } from './partitions.ts';

export type AwsService = 'ec2' | 'ecr' | 'ecr-public' | 'sts';

/** The region and the kind of endpoint. */
export interface EndpointVariant {
  readonly region: string;
  readonly fips: boolean;
  readonly dualStack: boolean;
}

export interface EndpointQuery extends EndpointVariant {
  readonly service: AwsService;
}

interface EndpointNames {
  readonly plain: string;
  readonly dualStack: string;
  /** Absent: AWS publishes none. */
  readonly fips?: string;
  readonly dualStackFips?: string;
}

/** The variables that the SDKs document for custom endpoints. */
export const endpointVariables: Readonly<Record<AwsService, string>> = {
  ec2: 'AWS_ENDPOINT_URL_EC2',
  ecr: 'AWS_ENDPOINT_URL_ECR',
  'ecr-public': 'AWS_ENDPOINT_URL_ECR_PUBLIC',
  sts: 'AWS_ENDPOINT_URL_STS',
};
export const globalEndpointVariable = 'AWS_ENDPOINT_URL';

/**
 * From ECR's list of endpoints. The SDK's rules would give `api.ecr-fips`, a name that AWS does not publish:
 * https://docs.aws.amazon.com/general/latest/gr/ecr.html
 */
const names: Readonly<Record<AwsService, EndpointNames>> = {
  ec2: {
    plain: 'ec2',
    fips: 'ec2-fips',
    dualStack: 'ec2',
    dualStackFips: 'ec2-fips',
  },
  ecr: {
    plain: 'api.ecr',
    fips: 'ecr-fips',
    dualStack: 'ecr',
    dualStackFips: 'ecr-fips',
  },
  'ecr-public': {
    plain: 'api.ecr-public',
    dualStack: 'ecr-public',
  },
  sts: {
    plain: 'sts',
    fips: 'sts-fips',
    dualStack: 'sts',
    dualStackFips: 'sts-fips',
  },
};

/**
 * A custom endpoint comes first. `undefined`: there is none, since AWS has no endpoint of the kind (FIPS in China) or
 * the custom one is not an address.
 */
export function endpointFor(query: EndpointQuery, env: Environment): URL | undefined {
  const override = endpointOverride(query.service, env);
  if (override !== undefined) return parseHttpAddress(override);
  const partition = partitionOfRegion(query.region);
  if (partition === undefined) return undefined;
  const effective = { ...query, fips: query.fips || isOn(env['AWS_USE_FIPS_ENDPOINT']) };
  const dualStack = query.dualStack || isOn(env['AWS_USE_DUALSTACK_ENDPOINT']);
  const host = hostName({ ...effective, dualStack }, partition);
  return host === undefined ? undefined : new URL(`https://${host}`);
}

function hostName({ service, region, fips, dualStack }: EndpointQuery, partition: AwsPartition): string | undefined {
  const row = names[service];
  const plainIsFips = partition.plainIsFips?.includes(service) === true;
  const fipsName = plainIsFips ? row.plain : row.fips;
  const plainNames = [row.plain, fipsName] as const;
  const dualStackNames = [row.dualStack, row.dualStackFips] as const;
  const name = (dualStack ? dualStackNames : plainNames)[fips ? 1 : 0];
  if (name === undefined || (fips && !partition.fips)) return undefined;
  return `${name}.${region}.${dualStack ? partition.dualStackSuffix : partition.suffix}`;
}

function endpointOverride(service: AwsService, env: Environment): string | undefined {
  if (isOn(env['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'])) return undefined;
  return env[endpointVariables[service]] || env[globalEndpointVariable] || undefined;
}

export function isOn(value: string | undefined): boolean {
  return value?.toLowerCase() === 'true';
}

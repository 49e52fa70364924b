import { parseHttpAddress } from '../../lib/http/address.ts';
import type { Environment } from '../cloud.ts';
import { partitionOfRegion } from './partitions.ts';
import type { Partition } from './partitions.ts';

export type Service = 'ecr' | 'ecr-public' | 'sts';

export interface EndpointWish {
  readonly service: Service;
  readonly region: string;
  readonly fips: boolean;
  readonly dualStack: boolean;
}

interface NameRow {
  readonly plain: string;
  readonly fips: string;
  readonly dualStack: string;
  readonly dualStackFips: string;
  /** The variable that the SDKs document for an endpoint of one's own. */
  readonly variable: string;
}

/**
 * ECR's list of endpoints, not the SDK's rules, which ask for a name `api.ecr-fips` that AWS does not publish:
 * https://docs.aws.amazon.com/general/latest/gr/ecr.html
 */
const names: Readonly<Record<Service, NameRow>> = {
  ecr: {
    plain: 'api.ecr',
    fips: 'ecr-fips',
    dualStack: 'ecr',
    dualStackFips: 'ecr-fips',
    variable: 'AWS_ENDPOINT_URL_ECR',
  },
  'ecr-public': {
    plain: 'api.ecr-public',
    fips: 'ecr-public-fips',
    dualStack: 'ecr-public',
    dualStackFips: 'ecr-public-fips',
    variable: 'AWS_ENDPOINT_URL_ECR_PUBLIC',
  },
  sts: {
    plain: 'sts',
    fips: 'sts-fips',
    dualStack: 'sts',
    dualStackFips: 'sts-fips',
    variable: 'AWS_ENDPOINT_URL_STS',
  },
};

/**
 * Where to ask; an operator's own endpoint goes first. `undefined`: there is no such place, since AWS has none of the
 * kind (FIPS in China) or the operator's is no address.
 */
export function endpointFor(wish: EndpointWish, env: Environment): URL | undefined {
  const override = endpointOverride(wish.service, env);
  if (override !== undefined) return parseHttpAddress(override);
  const partition = partitionOfRegion(wish.region);
  if (partition === undefined) return undefined;
  const asked = { ...wish, fips: wish.fips || isOn(env['AWS_USE_FIPS_ENDPOINT']) };
  const dualStack = wish.dualStack || isOn(env['AWS_USE_DUALSTACK_ENDPOINT']);
  if (asked.fips && !partition.fips) return undefined;
  return new URL(`https://${hostName({ ...asked, dualStack }, partition)}`);
}

function hostName({ service, region, fips, dualStack }: EndpointWish, partition: Partition): string {
  const row = names[service];
  const fipsName = service === 'sts' && partition.plainStsIsFips === true ? row.plain : row.fips;
  const plainName = fips ? fipsName : row.plain;
  const dualStackName = fips ? row.dualStackFips : row.dualStack;
  return dualStack
    ? `${dualStackName}.${region}.${partition.dualStackSuffix}`
    : `${plainName}.${region}.${partition.suffix}`;
}

function endpointOverride(service: Service, env: Environment): string | undefined {
  if (isOn(env['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'])) return undefined;
  return env[names[service].variable] || env['AWS_ENDPOINT_URL'] || undefined;
}

export function isOn(value: string | undefined): boolean {
  return value?.toLowerCase() === 'true';
}

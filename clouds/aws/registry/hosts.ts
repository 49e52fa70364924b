import type { Environment } from '../../../lib/environment.ts';
import type { ImageReference } from '../../../lib/image-reference.ts';
import type { AwsConfig } from '../../../schemas/config/aws.ts';
import { endpointFor } from '../endpoints.ts';
import type { EndpointQuery, EndpointVariant } from '../endpoints.ts';
import { partitions } from '../partitions.ts';
import type { AwsPartition } from '../partitions.ts';
import type { KubeletHints } from '../../../schemas/kubelet-hints.ts';
import type { Registry } from '../../cloud.ts';

/** ECR Public has one region for all logins. */
const publicRegion = 'us-east-1';

const publicHosts: Readonly<Record<string, { readonly dualStack: boolean }>> = {
  'public.ecr.aws': { dualStack: false },
  'ecr-public.aws.com': { dualStack: true },
};

/** Account, service and region. The rest must be exactly the suffix of the partition. */
const privateHost =
  /^\d{12}\.dkr(?:\.(?<plain>ecr|ecr-fips)|-(?<dual>ecr|ecr-fips))\.(?<region>[a-z0-9-]+)\.(?<suffix>[a-z0-9.-]+)$/;

/** The registry of an image, and the API for its login: FIPS and dual-stack hosts need FIPS and dual-stack APIs. */
export function matchRegistry(image: ImageReference, env: Environment): Registry | undefined {
  const query = parsePublicHost(image.host) ?? parsePrivateHost(image.host);
  if (query === undefined) return undefined;
  const endpoint = endpointFor(query, env);
  return {
    kind: query.service,
    authKey: image.registry,
    servesWholeHost: true,
    region: query.region,
    ...(endpoint !== undefined && { endpoint }),
  };
}

/** The kind of endpoint of a registry host. The other requests for its login use the same kind. */
export function endpointVariantOf(host: string): EndpointVariant | undefined {
  const query = parsePublicHost(host) ?? parsePrivateHost(host);
  return query && { region: query.region, fips: query.fips, dualStack: query.dualStack };
}

function parsePublicHost(host: string): EndpointQuery | undefined {
  const row = Object.hasOwn(publicHosts, host) ? publicHosts[host] : undefined;
  return row && { service: 'ecr-public', region: publicRegion, fips: false, dualStack: row.dualStack };
}

function parsePrivateHost(host: string): EndpointQuery | undefined {
  const parts = privateHost.exec(host)?.groups;
  const region = parts?.['region'] ?? '';
  const dualStack = parts?.['dual'] !== undefined;
  const partition = partitions.find((candidate) => candidate.regions.test(region));
  if (parts === undefined || partition === undefined) return undefined;
  if (parts['suffix'] !== imageSuffix(partition, dualStack)) return undefined;
  const fips = (parts['plain'] ?? parts['dual']) === 'ecr-fips';
  return { service: 'ecr', region, fips, dualStack };
}

function imageSuffix(partition: AwsPartition, dualStack: boolean): string | undefined {
  return dualStack ? partition.dualStackImageSuffix : partition.suffix;
}

/**
 * The kubelet calls us for a pod only if its service account has the required annotations, so only one of several keys
 * can be required.
 */
export function kubeletHints({ roleAnnotations }: AwsConfig): KubeletHints {
  return {
    matchImages: [...new Set(partitions.flatMap(globsOf)), ...Object.keys(publicHosts)],
    wrongGlobs: [
      {
        pattern: /\.amazonaws\.cn(?:[:/]|$)/,
        what: 'AWS in China has no registries there',
        remedy: 'write .amazonaws.com.cn',
      },
      {
        pattern: /^(?!\d{12}\.)[\d-]+\.dkr[.-]ecr/,
        what: 'an AWS account id has twelve digits, without hyphens',
        remedy: 'correct the account id',
      },
    ],
    pod: {
      audience: 'sts.amazonaws.com',
      requiredAnnotations: roleAnnotations.slice(-1),
      optionalAnnotations: roleAnnotations.slice(0, -1),
    },
  };
}

function globsOf({ suffix, dualStackImageSuffix: dualStack, fips }: AwsPartition): readonly string[] {
  return [
    `*.dkr.ecr.*.${suffix}`,
    ...(fips ? [`*.dkr.ecr-fips.*.${suffix}`] : []),
    ...(dualStack === undefined ? [] : [`*.dkr-ecr.*.${dualStack}`]),
    ...(dualStack !== undefined && fips ? [`*.dkr-ecr-fips.*.${dualStack}`] : []),
  ];
}

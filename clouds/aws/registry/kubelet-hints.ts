import type { KubeletHints } from '../../cloud.ts';
import type { AwsConfig } from '../config.ts';
import { partitions } from '../partitions.ts';
import type { AwsPartition } from '../partitions.ts';
import { publicHosts } from './hosts.ts';

/** The kubelet sends a pod here only if its service account names a role by the key that is required; it can require one of several only. */
export function kubeletHints({ roleAnnotations }: AwsConfig): KubeletHints {
  return {
    matchImages: [...new Set(partitions.flatMap(globsOf)), ...Object.keys(publicHosts)],
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

import type { KubeletHints } from '../../cloud.ts';
import { ownRegistryDomain } from '../config.ts';
import type { GcpConfig } from '../config.ts';

/** No annotation is required of a pod: its token alone says who it is. */
export function kubeletHints(config: GcpConfig): KubeletHints {
  const { registryDomain, workloadIdentityProvider: provider } = config;
  const containerRegistry = registryDomain === ownRegistryDomain ? ['gcr.io', '*.gcr.io'] : [];
  return {
    matchImages: [...containerRegistry, `*.${registryDomain}`, `docker.*.rep.${registryDomain}`],
    pod: {
      ...(provider !== undefined && { audience: `https://iam.googleapis.com/${provider}` }),
      requiredAnnotations: [],
      optionalAnnotations: [...config.serviceAccountAnnotations, ...config.providerAnnotations],
    },
  };
}

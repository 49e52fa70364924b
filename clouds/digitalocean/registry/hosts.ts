import type { ImageReference } from '../../../lib/image-reference.ts';
import type { DigitaloceanConfig } from '../../../schemas/config/digitalocean.ts';
import type { KubeletHints } from '../../../schemas/kubelet-hints.ts';
import type { Registry } from '../../cloud.ts';
import { apiUrl } from '../api.ts';

/** The only host. A team's registries are below it: https://docs.digitalocean.com/products/container-registry/ */
export const registryHost = 'registry.digitalocean.com';
/** `registry_base.yml` in https://github.com/digitalocean/openapi */
const namePattern = /^[a-z0-9-]{1,63}$/;

/** `registry.digitalocean.com/<registry>/<repository>`. A login is for one registry. */
export function matchRegistry(
  { host, registry, repository }: ImageReference,
  config: DigitaloceanConfig,
): Registry | undefined {
  const [name = '', ...rest] = host === registryHost ? repository.split('/') : [];
  if (!namePattern.test(name) || rest.length === 0) return undefined;
  return {
    kind: 'docr',
    authKey: `${registry}/${name}`,
    entry: name,
    servesWholeHost: false,
    endpoint: apiUrl(config),
  };
}

/** No entry for pods: DigitalOcean does not trust tokens of clusters. */
export function kubeletHints(): KubeletHints {
  return { matchImages: [registryHost] };
}

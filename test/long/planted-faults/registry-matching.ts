import type { PlantedFault } from './planted-fault.ts';

const ecr = ['test/clouds/aws/registry/hosts.test.ts'];
const acr = ['test/clouds/azure/registry/hosts.test.ts'];
const google = ['test/clouds/gcp/registry/hosts.test.ts'];
const images = ['test/lib/image-reference.test.ts'];
const resolvedRegistry = ['test/lib/registry-login/resolve-registry.test.ts'];
const paths = ['test/lib/registry-path.test.ts'];

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'a host of ECR may have something before it',
    file: 'clouds/aws/registry/hosts.ts',
    find: '/^\\d{12}\\.dkr',
    replace: '/\\d{12}\\.dkr',
    tests: ecr,
  },
  {
    name: 'a host of ECR may have something behind it',
    file: 'clouds/aws/registry/hosts.ts',
    find: "if (parts['suffix'] !== imageSuffix(partition, dualStack)) return undefined;",
    replace: "if (!parts['suffix']?.startsWith(imageSuffix(partition, dualStack) ?? 'none')) return undefined;",
    tests: ecr,
  },
  {
    name: 'a FIPS host of ECR is served by the plain API',
    file: 'clouds/aws/registry/hosts.ts',
    find: "=== 'ecr-fips';",
    replace: "=== 'none';",
    tests: ecr,
  },
  {
    name: 'a host is ACR’s without the dot before its suffix',
    file: 'clouds/azure/registry/hosts.ts',
    find: 'host.endsWith(`.${suffix}`)',
    replace: 'host.endsWith(suffix)',
    tests: acr,
  },
  {
    name: 'a data endpoint of ACR is taken for a registry',
    file: 'clouds/azure/registry/hosts.ts',
    find: '\\.geo)?$/',
    replace: '(?:\\.geo|\\.data|))?$/',
    tests: acr,
  },
  {
    name: 'a host is Google’s without the dot before gcr.io',
    file: 'clouds/gcp/registry/hosts.ts',
    find: 'host.endsWith(`.${containerRegistryDomain}`)',
    replace: 'host.endsWith(containerRegistryDomain)',
    tests: google,
  },
  {
    name: 'any place is one of Artifact Registry',
    file: 'clouds/gcp/registry/hosts.ts',
    find: 'place !== undefined && places.test(place) ? place : undefined',
    replace: 'places.source.length > 0 ? place : undefined',
    tests: google,
  },
  {
    name: 'Container Registry is served in other universes too',
    file: 'clouds/gcp/registry/hosts.ts',
    find: 'if (registryDomain !== ownRegistryDomain) return undefined;',
    replace: "if (registryDomain === '') return undefined;",
    tests: google,
  },
  {
    name: 'an image with control characters is of Docker Hub',
    file: 'lib/image-reference.ts',
    find: 'if (!imagePattern.test(image)) return undefined;',
    replace: "if (image === '') return undefined;",
    tests: images,
  },
  {
    name: 'a host in upper case is a host',
    file: 'lib/image-reference.ts',
    find: '(?:\\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;',
    replace: '(?:\\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;',
    tests: images,
  },
  {
    name: 'the shortest entry of the configuration wins',
    file: 'lib/registry-login/resolve-registry.ts',
    find: 'b.match.length - a.match.length',
    replace: 'a.match.length - b.match.length',
    tests: resolvedRegistry,
  },
  {
    name: 'an entry for a path is for every path that begins so',
    file: 'lib/registry-path.ts',
    find: 'image.repository.startsWith(`${pattern.path}/`)',
    replace: 'image.repository.startsWith(pattern.path)',
    tests: paths,
  },
];

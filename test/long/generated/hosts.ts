import type { Random } from '../../support/random.ts';

export const cloudNames = ['aws', 'azure', 'gcp'] as const;
export type GeneratedCloudName = (typeof cloudNames)[number];

/** A host of a registry of that cloud, as the cloud publishes its forms. */
export function registryHost(random: Random, cloud: GeneratedCloudName): string {
  return hosts[cloud](random);
}

const hosts: Readonly<Record<GeneratedCloudName, (random: Random) => string>> = {
  aws: ecrHost,
  azure: acrHost,
  gcp: googleHost,
};

/** Host forms by partition, as AWS publishes them. */
const ecrForms: ReadonlyArray<readonly [regions: readonly string[], suffixes: readonly string[]]> = [
  [
    ['us-west-2', 'us-east-1', 'eu-central-1', 'ap-southeast-7'],
    ['dkr.ecr.{}.amazonaws.com', 'dkr.ecr-fips.{}.amazonaws.com', 'dkr-ecr.{}.on.aws', 'dkr-ecr-fips.{}.on.aws'],
  ],
  [['us-gov-west-1'], ['dkr.ecr.{}.amazonaws.com', 'dkr-ecr-fips.{}.on.aws']],
  [
    ['cn-north-1', 'cn-northwest-1'],
    ['dkr.ecr.{}.amazonaws.com.cn', 'dkr-ecr.{}.on.amazonwebservices.com.cn', 'dkr.ecr-fips.{}.amazonaws.com.cn'],
  ],
  [['us-iso-east-1'], ['dkr.ecr.{}.c2s.ic.gov']],
  [['us-isob-east-1'], ['dkr.ecr.{}.sc2s.sgov.gov']],
  [['eu-isoe-west-1'], ['dkr.ecr.{}.cloud.adc-e.uk']],
  [['us-isof-south-1'], ['dkr.ecr.{}.csp.hci.ic.gov']],
  [['eusc-de-east-1'], ['dkr.ecr.{}.amazonaws.eu']],
];

function ecrHost(random: Random): string {
  const [regions, suffixes] = random.pick(ecrForms);
  return `${random.characters('0123456789', 12)}.${random.pick(suffixes).replace('{}', random.pick(regions))}`;
}

export const publicEcrHosts: readonly string[] = ['public.ecr.aws', 'ecr-public.aws.com'];

export const acrSuffixes: readonly string[] = ['azurecr.io', 'azurecr.us', 'azurecr.cn', 'azurecr.de'];
const acrRegions: readonly string[] = ['westeurope', 'eastus2'];
/** Of an Azure that is in no table; configurations are generated that know it. */
export const ownAcrSuffix = 'azurecr.lab.example';

function acrHost(random: Random): string {
  const suffix = random.chance(0.6) ? 'azurecr.io' : random.pick(acrSuffixes);
  const region = random.chance(0.2) ? `.${random.pick(acrRegions)}.geo` : '';
  return `${acrName(random)}${region}.${suffix}`;
}

function acrName(random: Random): string {
  const name = `acme${random.characters('abcdefghij0123456789', random.between(1, 40))}`;
  return random.chance(0.2) ? `${name}-${random.characters('abcdef0123456789', 16)}` : name;
}

const googleHosts: readonly string[] = [
  'gcr.io',
  'us.gcr.io',
  'eu.gcr.io',
  'asia.gcr.io',
  'marketplace.gcr.io',
  'gke.gcr.io',
  'us-east1-artifactregistry.gcr.io',
  'us-west1-docker.pkg.dev',
  'europe-docker.pkg.dev',
  'northamerica-northeast2-docker.pkg.dev',
  'docker.europe-west4.rep.pkg.dev',
];

function googleHost(random: Random): string {
  return random.pick(googleHosts);
}

/** Registries that need configuration: a private Azure cloud, and a universe of a partner of Google. */
export function configuredHost(random: Random): string {
  return random.pick([
    `${acrName(random)}.${ownAcrSuffix}`,
    'docker.s3nsregistry.fr',
    'u-france-east1-docker.s3nsregistry.fr',
  ]);
}

/** Hosts that no table knows; configurations are generated for some of them. */
export const unknownHosts: readonly string[] = [
  'registry.example.com',
  'images.example.com:5000',
  'quay.io',
  'docker.io',
  'harbor.example.com:8443',
  'localhost',
  '10.0.0.1:5000',
];

import { lookAlikeHosts as ofAws } from '../../clouds/aws/look-alike-hosts.ts';
import { lookAlikeHosts as ofAzure } from '../../clouds/azure/look-alike-hosts.ts';
import { lookAlikeHosts as ofGoogle } from '../../clouds/gcp/look-alike-hosts.ts';
import { cloudNames, configuredHost, publicEcrHosts, registryHost, unknownHosts } from './hosts.ts';
import type { GeneratedCloudName } from './hosts.ts';
import { mutateText } from './mutate.ts';
import { word } from './odd-values.ts';
import type { Random } from '../../support/random.ts';

/** The cloud of the image by the host tables. `unsure`: the configuration, or chance, may assign it to one. */
export type ImageOwner = GeneratedCloudName | 'nobody' | 'unsure';

export interface ImageChoice {
  readonly image: string;
  readonly owner: ImageOwner;
}

const lookAlikes: readonly string[] = [...ofAws, ...ofAzure, ...ofGoogle];

export function chooseImage(random: Random): ImageChoice {
  return random.pickWeighted<() => ImageChoice>([
    [9, () => ({ image: registryHost(random, 'aws') + tail(random), owner: 'aws' })],
    [2, () => ({ image: random.pick(publicEcrHosts) + tail(random), owner: 'aws' })],
    [10, () => ({ image: registryHost(random, 'azure') + tail(random), owner: 'azure' })],
    [10, () => ({ image: registryHost(random, 'gcp') + tail(random), owner: 'gcp' })],
    [2, () => ({ image: configuredHost(random) + tail(random), owner: 'unsure' })],
    [3, () => ({ image: random.pick(unknownHosts) + tail(random), owner: 'nobody' })],
    [5, () => ({ image: random.pick(lookAlikes), owner: 'nobody' })],
    [1, () => ({ image: longHost(random) + tail(random), owner: 'nobody' })],
    [1, () => ({ image: `${word(random)}:${word(random)}`, owner: 'nobody' })],
    [
      3,
      () => ({
        image: mutateText(random, registryHost(random, random.pick(cloudNames)) + tail(random)),
        owner: 'unsure',
      }),
    ],
  ])();
}

function tail(random: Random): string {
  const port = random.chance(0.15) ? `:${random.pick([443, 8443, 1, 65535])}` : '';
  const folders = Array.from({ length: random.between(1, 4) }, () => word(random)).join('/');
  const version = random.pickWeighted([
    [3, ''],
    [3, ':v1.2.3'],
    [1, `@sha256:${'a'.repeat(64)}`],
    [1, `:v1@sha256:${'b'.repeat(64)}`],
  ]);
  return `${port}/${folders}${version}`;
}

const suffixes = [
  'example',
  'xn--p1ai',
  '123',
  'amazonaws.com.evil.example',
  'azurecr.io.evil.example',
  'pkg.dev.example',
];

function longHost(random: Random): string {
  const labels = Array.from({ length: random.between(1, 30) }, () => 'l'.repeat(random.between(1, 70)));
  return [...labels, random.pick(suffixes)].join('.');
}

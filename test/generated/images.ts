import { lookAlikeHosts } from '../clouds/aws/look-alike-hosts.ts';
import { mutateText } from './mutate.ts';
import { word } from './odd-values.ts';
import type { Random } from './random.ts';

export interface ImageChoice {
  readonly image: string;
  /** No cloud's, as far as host tables go. */
  readonly nobodys: boolean;
}

/** Host forms by partition, as AWS publishes them. */
const forms: ReadonlyArray<readonly [regions: readonly string[], suffixes: readonly string[]]> = [
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

export function ecrHost(random: Random): string {
  const [regions, suffixes] = random.pick(forms);
  return `${random.characters('0123456789', 12)}.${random.pick(suffixes).replace('{}', random.pick(regions))}`;
}

/** Hosts that no table knows; configurations are generated for some of them. */
export const strangerHosts: readonly string[] = [
  'registry.example.com',
  'images.example.com:5000',
  'quay.io',
  'docker.io',
  'harbor.example.com:8443',
  'localhost',
  '10.0.0.1:5000',
];

export function chooseImage(random: Random): ImageChoice {
  return random.weigh<() => ImageChoice>([
    [10, () => ({ image: ecrHost(random) + tail(random), nobodys: false })],
    [3, () => ({ image: random.pick(['public.ecr.aws', 'ecr-public.aws.com']) + tail(random), nobodys: false })],
    [3, () => ({ image: random.pick(strangerHosts) + tail(random), nobodys: true })],
    [4, () => ({ image: random.pick(lookAlikeHosts), nobodys: true })],
    [1, () => ({ image: longHost(random) + tail(random), nobodys: true })],
    [1, () => ({ image: `${word(random)}:${word(random)}`, nobodys: true })],
    [2, () => ({ image: mutateText(random, ecrHost(random) + tail(random)), nobodys: false })],
  ])();
}

function tail(random: Random): string {
  const port = random.chance(0.15) ? `:${random.pick([443, 8443, 1, 65535])}` : '';
  const folders = Array.from({ length: random.between(1, 4) }, () => word(random)).join('/');
  const version = random.weigh([
    [3, ''],
    [3, ':v1.2.3'],
    [1, `@sha256:${'a'.repeat(64)}`],
    [1, `:v1@sha256:${'b'.repeat(64)}`],
  ]);
  return `${port}/${folders}${version}`;
}

function longHost(random: Random): string {
  const labels = Array.from({ length: random.between(1, 30) }, () => 'l'.repeat(random.between(1, 70)));
  return [...labels, random.pick(['example', 'xn--p1ai', '123', 'amazonaws.com.evil.example'])].join('.');
}

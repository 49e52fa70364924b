import { labUserKey } from '../../lab/clouds/aws/state.ts';
import type { ImprovementName } from './improvements.ts';

/** A request that both programs get, and what we answer otherwise. */
export interface EcrCase {
  readonly name: string;
  readonly image?: string;
  /** In place of a right request. */
  readonly input?: string;
  readonly version?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** As the pod `default/puller`, with these annotations on its service account. */
  readonly pod?: Readonly<Record<string, string>>;
  /** Of the instance's role. */
  readonly permissions?: readonly string[];
  readonly improvements?: readonly ImprovementName[];
  readonly fails?: boolean;
}

export const ownImage = '123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app';
const role = (name: string): string => `arn:aws:iam::123456789012:role/${name}`;
const ownAnnotation = (name: string): Readonly<Record<string, string>> => ({
  'eks.amazonaws.com/ecr-role-arn': role(name),
});
const region = { AWS_REGION: 'us-west-2' };

export const ecrCases: readonly EcrCase[] = [
  { name: 'the instance’s role' },
  { name: 'another region', image: ownImage.replace('us-west-2', 'us-east-1') },
  { name: 'another account', image: ownImage.replace('123456789012', '210987654321') },
  { name: 'ECR Public', image: 'public.ecr.aws/library/app' },
  { name: 'ECR Public by its dual-stack name', image: 'ecr-public.aws.com/library/app', improvements: ['kindOfHost'] },
  { name: 'FIPS', image: ownImage.replace('.ecr.', '.ecr-fips.'), improvements: ['kindOfHost'] },
  {
    name: 'dual-stack',
    image: '123456789012.dkr-ecr.us-west-2.on.aws/app',
    improvements: ['kindOfHost'],
  },
  { name: 'a port', image: ownImage.replace('/', ':8443/'), improvements: ['port'] },
  { name: 'v1beta1', version: 'v1beta1', improvements: ['versions'] },
  { name: 'words', args: ['get-credentials', 'more'] },
  { name: 'an unknown argument', args: ['--cloud=aws'], fails: true },
  {
    name: 'keys of the environment',
    env: { AWS_ACCESS_KEY_ID: labUserKey.accessKeyId, AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey },
  },
  { name: 'a profile', env: { AWS_PROFILE: 'lab', AWS_SHARED_CREDENTIALS_FILE: 'CREDENTIALS' } },
  { name: 'a profile that is not there', env: { AWS_PROFILE: 'none' }, fails: true },
  { name: 'a role that may not', permissions: [], fails: true },
  { name: 'a mirror', image: 'mirror.example/team/app', env: region },
  { name: 'a mirror, and the older variable', image: 'ecr.corp.example/app', env: { AWS_DEFAULT_REGION: 'us-east-1' } },
  { name: 'a mirror with a port', image: 'mirror.example:5000/app', env: region, improvements: ['port'] },
  { name: 'a mirror in the region of a profile', image: 'mirror.example/app', env: { AWS_CONFIG_FILE: 'CONFIG' } },
  { name: 'a mirror and no region', image: 'mirror.example/team/app', fails: true },
  { name: 'Docker Hub, let in', image: 'docker.io/library/app', env: region },
  {
    name: 'a look-alike',
    image: '123456789012.dkr.ecr.us-west-2.amazonaws.com.evil.example/app',
    env: region,
    improvements: ['lookAlike'],
  },
  { name: 'capitals', image: ownImage.replace('amazonaws', 'Amazonaws'), env: region, improvements: ['lookAlike'] },
  { name: 'user-info', image: `user@${ownImage}`, improvements: ['lookAlike'] },
  { name: 'another cloud’s registry', image: 'acme.azurecr.io/app', env: region, improvements: ['lookAlike'] },
  { name: 'a pod', pod: ownAnnotation('lab-pod') },
  { name: 'a pod in another region', pod: ownAnnotation('lab-pod'), image: ownImage.replace('us-west-2', 'us-east-1') },
  {
    name: 'a pod and a FIPS host',
    pod: ownAnnotation('lab-pod'),
    image: ownImage.replace('.ecr.', '.ecr-fips.'),
    improvements: ['kindOfHost'],
  },
  { name: 'a pod and a mirror', pod: ownAnnotation('lab-pod'), image: 'mirror.example/app', env: region },
  { name: 'a pod without an annotation is the node', pod: {} },
  {
    name: 'a pod with an empty one is the node',
    pod: { 'eks.amazonaws.com/ecr-role-arn': '' },
    env: roleOfEnvironment(),
  },
  { name: 'a pod without an annotation, AWS_ECR_ROLE_ARN', pod: {}, env: roleOfEnvironment() },
  {
    name: 'an annotation before AWS_ECR_ROLE_ARN',
    pod: ownAnnotation('lab-denied'),
    env: roleOfEnvironment(),
    fails: true,
  },
  {
    name: 'a pod by the annotation of EKS',
    pod: { 'eks.amazonaws.com/role-arn': role('lab-pod') },
    improvements: ['roleAnnotation'],
  },
  { name: 'a pod whose role does not trust it', pod: ownAnnotation('lab-denied'), fails: true },
  { name: 'AWS_ECR_ROLE_ARN without a pod is not looked at', env: roleOfEnvironment() },
  {
    name: 'a pod and ECR Public',
    pod: ownAnnotation('lab-pod'),
    image: 'public.ecr.aws/library/app',
    env: { AWS_REGION: 'us-east-1' },
  },
  {
    name: 'a pod and ECR Public without a region',
    pod: ownAnnotation('lab-pod'),
    image: 'public.ecr.aws/library/app',
    improvements: ['stsOfPublic'],
  },
  { name: 'nothing on standard input', input: '', fails: true },
  { name: 'no JSON', input: '{"kind":', fails: true },
  { name: 'no image', image: '', fails: true },
  { name: 'another kind', input: JSON.stringify({ apiVersion: 'v1', kind: 'Pod' }), fails: true },
  { name: 'metadata and HTTP_PROXY', env: { HTTP_PROXY: 'http://127.0.0.1:9' }, improvements: ['metadata'] },
];

function roleOfEnvironment(): Readonly<Record<string, string>> {
  return { AWS_ECR_ROLE_ARN: role('lab-pod') };
}

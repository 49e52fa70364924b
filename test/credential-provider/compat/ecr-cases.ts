import { labUserKey } from '../../lab/clouds/aws/state.ts';
import type { ImprovementName } from './improvements.ts';

/** A request for both programs, and the intended differences in our response. */
export interface EcrCase {
  readonly name: string;
  readonly image?: string;
  /** Instead of a valid request. */
  readonly input?: string;
  readonly version?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** As the pod `default/puller`, with these annotations on its service account. */
  readonly pod?: Readonly<Record<string, string>>;
  /** The permissions of the instance's role. */
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

const profileEndpoint = 'https://ecr-fips.us-west-2.amazonaws.com';
const servicesEndpoint = 'https://ecr.us-west-2.amazonaws.com';

/** The shared config file of the cases; AUTHORITY is replaced by the file of the lab's certificate authority. */
export const sharedConfig = `[default]
region = us-east-1
[profile fips]
use_fips_endpoint = true
[profile mistyped]
use_fips_endpoint = yes
[profile dual]
use_dualstack_endpoint = true
[profile endpoint]
endpoint_url = ${profileEndpoint}
[profile services]
endpoint_url = ${profileEndpoint}
services = ecr-only
[services ecr-only]
ecr =
  endpoint_url = ${servicesEndpoint}
[profile ignore]
endpoint_url = ${profileEndpoint}
ignore_configured_endpoint_urls = true
[profile pod]
services = pod
[services pod]
ecr =
  endpoint_url = ${servicesEndpoint}
sts =
  endpoint_url = https://sts.us-east-1.amazonaws.com
[profile trust]
ca_bundle = AUTHORITY
`;

function profile(name: string): Readonly<Record<string, string>> {
  return { AWS_CONFIG_FILE: 'CONFIG', AWS_PROFILE: name };
}

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
  { name: 'FIPS by the profile', env: profile('fips'), improvements: ['fipsName'] },
  { name: 'dual-stack by the profile', env: profile('dual') },
  {
    name: 'FIPS by the profile, and not by the environment',
    env: { ...profile('fips'), AWS_USE_FIPS_ENDPOINT: 'false' },
  },
  { name: 'an endpoint of the profile', env: profile('endpoint') },
  {
    name: 'an endpoint of the profile, and the older variable',
    env: { AWS_CONFIG_FILE: 'CONFIG', AWS_DEFAULT_PROFILE: 'endpoint' },
  },
  {
    name: 'both variables for the profile',
    env: { AWS_CONFIG_FILE: 'CONFIG', AWS_PROFILE: 'services', AWS_DEFAULT_PROFILE: 'endpoint' },
  },
  { name: 'a switch that is mistyped', env: profile('mistyped'), fails: true, improvements: ['mistyped'] },
  { name: 'an endpoint of the services section', env: profile('services') },
  { name: 'endpoints that the profile ignores', env: profile('ignore') },
  { name: 'an endpoint of the environment', env: { ...profile('services'), AWS_ENDPOINT_URL: profileEndpoint } },
  { name: 'a pod and the endpoints of the profile', env: profile('pod'), pod: ownAnnotation('lab-pod') },
  { name: 'trust by the profile', env: { ...profile('trust'), SSL_CERT_FILE: '/dev/null', SSL_CERT_DIR: '/nowhere' } },
  { name: 'a port', image: ownImage.replace('/', ':8443/'), improvements: ['port'] },
  { name: 'v1beta1', version: 'v1beta1', improvements: ['versions'] },
  { name: 'operands', args: ['get-credentials', 'more'] },
  { name: 'an unknown argument', args: ['--cloud=aws'], fails: true },
  {
    name: 'keys of the environment',
    env: { AWS_ACCESS_KEY_ID: labUserKey.accessKeyId, AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey },
  },
  { name: 'a profile', env: { AWS_PROFILE: 'lab', AWS_SHARED_CREDENTIALS_FILE: 'CREDENTIALS' } },
  { name: 'a profile that does not exist', env: { AWS_PROFILE: 'none' }, fails: true },
  { name: 'a role without permission', permissions: [], fails: true },
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

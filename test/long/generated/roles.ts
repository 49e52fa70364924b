import { cloudNames } from './hosts.ts';
import type { GeneratedCloudName } from './hosts.ts';
import type { ImageOwner } from './images.ts';
import { mutateText } from './mutate.ts';
import { oddText } from './odd-values.ts';
import type { Random } from '../../support/random.ts';

/** What an identity takes on, by keys: a service account's annotations, and the `role` of the configuration. */
export type Role = Readonly<Record<string, string>>;

/** Of the registry's cloud, of another one, malformed, or none. */
export function chooseAnnotations(random: Random, owner: ImageOwner): Role {
  const own = cloudNames.find((name) => name === owner) ?? random.pick(cloudNames);
  const annotations = random.pickWeighted<() => Role>([
    [12, () => goodRole(random, own)],
    [3, () => damagedRole(random, goodRole(random, own))],
    [2, () => goodRole(random, random.pick(cloudNames))],
    [1, () => ({ ...goodRole(random, 'aws'), ...goodRole(random, 'azure'), ...goodRole(random, 'gcp') })],
    [1, () => ({})],
  ])();
  return random.chance(0.2) ? { ...annotations, [oddText(random)]: oddText(random) } : annotations;
}

export function goodRole(random: Random, cloud: GeneratedCloudName): Role {
  return roles[cloud](random);
}

const roles: Readonly<Record<GeneratedCloudName, (random: Random) => Role>> = {
  aws: awsRole,
  azure: azureRole,
  gcp: gcpRole,
};

function awsRole(random: Random): Role {
  const key = random.pick([
    'eks.amazonaws.com/ecr-role-arn',
    'eks.amazonaws.com/role-arn',
    'eks.amazonaws.com/role-arn',
  ]);
  return {
    [key]: chooseRoleArn(random),
    ...(random.chance(0.2) && { 'example.com/pull-role': chooseRoleArn(random) }),
    ...(random.chance(0.1) && { 'polycloud.dev/aws-external-id': 'team-7' }),
  };
}

export const clientId = '44444444-4444-4444-4444-444444444444';
export const tenantId = '22222222-2222-2222-2222-222222222222';

function azureRole(random: Random): Role {
  const family = random.pick(['kubernetes.azure.com/acr-', 'kubernetes.azure.com/acr-', 'azure.workload.identity/']);
  return {
    [`${family}client-id`]: clientId,
    ...(random.chance(0.85) && { [`${family}tenant-id`]: random.pick([tenantId, tenantId, 'tenant.onmicrosoft.com']) }),
  };
}

export const poolProvider = 'projects/123456789012/locations/global/workloadIdentityPools/lab/providers/cluster';
export const serviceAccount = 'lab-pod@lab-project.iam.gserviceaccount.com';

function gcpRole(random: Random): Role {
  const account = random.pick(['iam.gke.io/gcp-service-account', 'cloud.google.com/service-account-email']);
  return {
    ...(random.chance(0.5) && { [account]: serviceAccount }),
    ...(random.chance(0.5) && { 'cloud.google.com/workload-identity-provider': poolProvider }),
  };
}

const otherRole: Role = { 'iam.gke.io/gcp-service-account': serviceAccount };

function damagedRole(random: Random, role: Role): Role {
  const usual = Object.entries(role);
  const [key, value] = random.pick(usual.length > 0 ? usual : Object.entries(otherRole));
  return {
    ...role,
    [key]: random.pickWeighted([
      [2, mutateText(random, value)],
      [1, oddText(random)],
      [2, random.pick(hostileValues)],
    ]),
  };
}

/** What could leave its place in an address, a form or a message. */
const hostileValues: readonly string[] = [
  '../../common/oauth2/v2.0/token?x=',
  'common',
  'organizations',
  `${tenantId}/../evil`,
  `${clientId}&client_id=evil`,
  'evil@evil.example',
  'lab-pod@lab-project.iam.gserviceaccount.com.evil.example',
  'lab-pod@lab-project.iam.gserviceaccount.com:generateIdToken',
  '//evil.example/projects/1/locations/global/workloadIdentityPools/a/providers/b',
  'https://iam.googleapis.com.evil.example/projects/1/locations/global/workloadIdentityPools/a/providers/b',
  'arn:aws:iam::123456789012:role/lab-pod\r\nx-evil: 1',
];

export function chooseRoleArn(random: Random): string {
  return random.pickWeighted<() => string>([
    [10, () => 'arn:aws:iam::123456789012:role/lab-pod'],
    [
      2,
      () =>
        `arn:${random.pick(['aws-cn', 'aws-us-gov'])}:iam::123456789012:role/team/${'r'.repeat(random.between(1, 64))}`,
    ],
    [1, () => `arn:aws:iam::123456789012:role/${'p/'.repeat(random.between(1, 250))}r`],
    [1, () => mutateText(random, 'arn:aws:iam::123456789012:role/lab-pod')],
    [1, () => oddText(random)],
  ])();
}

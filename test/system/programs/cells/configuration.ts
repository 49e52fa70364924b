import { join } from 'node:path';
import type { FederatedName } from '../../../lab/clouds/embedded.ts';

export type NodeHome = FederatedName | 'nobody';

interface ForeignRegistry {
  readonly of: FederatedName;
  readonly hosts: readonly string[];
}

const foreign: readonly ForeignRegistry[] = [
  { of: 'aws', hosts: ['123456789012.dkr.ecr.us-west-2.amazonaws.com', 'public.ecr.aws'] },
  { of: 'azure', hosts: ['partner.azurecr.io'] },
  { of: 'gcp', hosts: ['gcr.io', 'europe-west1-docker.pkg.dev'] },
];

/** Nothing for the node's own cloud, which needs nothing. For each other: how the node logs in, and with which role. */
export function nodeConfiguration(home: NodeHome, directory: string): object {
  const entries = foreign
    .filter(({ of }) => of !== home)
    .flatMap(({ of, hosts }) => hosts.map((match) => ({ match, ...federationEntry(home, of, directory) })));
  return { registries: entries };
}

function federationEntry(home: NodeHome, to: FederatedName, directory: string): object {
  const role = roles[to][home];
  if (home === 'nobody') return { role, federation: { from: 'file', tokenFile: join(directory, `token-for-${to}`) } };
  return { role, federation: { from: home, audience: audiences[to][home] } };
}

const pool = 'projects/123456789/locations/global/workloadIdentityPools/nodes/providers';
const entraAudience = 'api://polycloud-nodes';
const exchange = 'api://AzureADTokenExchange';

/** Whom each token file at home is for. */
export const homeAudiences: Readonly<Record<string, string>> = {
  'token-for-aws': 'sts.amazonaws.com',
  'token-for-azure': exchange,
  'token-for-gcp': `https://iam.googleapis.com/${pool}/home`,
};

type ByHome = Readonly<Partial<Record<NodeHome, string>>>;

/** Whom a node's proof is for, where it goes. */
const audiences: Readonly<Record<FederatedName, ByHome>> = {
  aws: { azure: entraAudience, gcp: 'sts.amazonaws.com' },
  azure: { aws: exchange, gcp: exchange },
  gcp: { aws: `https://iam.googleapis.com/${pool}/aws`, azure: entraAudience },
};

type Role = Readonly<Record<string, string>>;

const partner: Role = {
  'azure.workload.identity/tenant-id': '22222222-2222-2222-2222-222222222222',
  'azure.workload.identity/client-id': '33333333-3333-3333-3333-333333333333',
};

const roles: Readonly<Record<FederatedName, Readonly<Partial<Record<NodeHome, Role>>>>> = {
  aws: { azure: roleOfAws('nodes-of-azure'), gcp: roleOfAws('nodes-of-google'), nobody: roleOfAws('nodes-at-home') },
  azure: { aws: partner, gcp: partner, nobody: partner },
  gcp: { aws: roleOfGoogle('aws', true), azure: roleOfGoogle('azure', true), nobody: roleOfGoogle('home', false) },
};

function roleOfAws(name: string): Role {
  return { 'eks.amazonaws.com/role-arn': `arn:aws:iam::123456789012:role/${name}` };
}

function roleOfGoogle(provider: string, impersonates: boolean): Role {
  return {
    'cloud.google.com/workload-identity-provider': `${pool}/${provider}`,
    ...(impersonates && { 'iam.gke.io/gcp-service-account': 'puller@lab-project.iam.gserviceaccount.com' }),
  };
}

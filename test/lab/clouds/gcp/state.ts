import { secretMarker } from '../secrets.ts';
import type { PublicKey } from '../signed-token.ts';
import { usualComputeBehaviour } from './compute-instance.ts';
import type { ComputeBehaviour, ComputeInstance } from './compute-instance.ts';
import { identitySigner } from './identity-signer.ts';

/** All that the embedded Google knows. Tests change the upper half; the lower half is what it has given out. */
export interface GcpState {
  readonly projectId: string;
  readonly projectNumber: string;
  readonly instance: Instance;
  /** What the metadata server answers at a path below `/computeMetadata/v1/`, before its own documents. */
  readonly metadata: Record<string, string>;
  /** By e-mail address. */
  readonly serviceAccounts: Record<string, ServiceAccount>;
  /** People, by the refresh token that their login left behind. */
  readonly users: Record<string, User>;
  /** By the audience that STS knows them by. */
  readonly providers: Record<string, Provider>;
  /** Which principals of pools may pull, by their `principal://` name. */
  readonly principals: Record<string, { readonly permissions: readonly string[] }>;
  /** By `project/zone/name`. */
  readonly computeInstances: Record<string, ComputeInstance>;
  readonly compute: ComputeBehaviour;
  /** The key that signs identity tokens, for the services that verify them. */
  readonly identityKeys: readonly PublicKey[];

  /** By the token itself. A registry of the lab can ask here which logins are good. */
  readonly accessTokens: Record<string, IssuedToken>;
}

export interface Instance {
  readonly id: string;
  readonly name: string;
  readonly hostname: string;
  readonly zone: string;
  readonly machineType: string;
  readonly interfaces: readonly NetworkInterface[];
  /** The first one is the default; none: the instance has no service account. */
  readonly serviceAccounts: readonly string[];
  readonly scopes: readonly string[];
}

export interface NetworkInterface {
  readonly ip: string;
  readonly externalIp?: string;
  readonly ipv6s?: readonly string[];
  /** Further ranges, e.g. for pods. */
  readonly aliasRanges?: readonly string[];
}

export interface ServiceAccount {
  readonly uniqueId: string;
  readonly disabled: boolean;
  readonly keys: readonly PublicKey[];
  readonly permissions: readonly string[];
  /** Members that may take it on, as IAM policies write them. */
  readonly tokenCreators: readonly string[];
}

export interface User {
  readonly email: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly permissions: readonly string[];
}

export interface Provider {
  /** `principal://` and all before the subject. */
  readonly principalPrefix: string;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly keys: readonly PublicKey[];
  /** The attribute condition: only these may come in; absent: all. */
  readonly subjects?: readonly string[];
}

export interface IssuedToken {
  /** `serviceAccount:…`, `user:…` or `principal://…`. */
  readonly member: string;
  readonly scopes: readonly string[];
  readonly expiresAtMs: number;
}

export const labIssuer = 'https://oidc.lab.example/cluster';
export const nodeAccount = 'lab-node@lab-project.iam.gserviceaccount.com';
export const deniedAccount = 'lab-denied@lab-project.iam.gserviceaccount.com';
/** Whom the node and the pod `default/puller` may become. */
export const podAccount = 'lab-pod@lab-project.iam.gserviceaccount.com';
export const providerName = 'projects/123456789012/locations/global/workloadIdentityPools/lab/providers/cluster';
const poolPrincipal =
  'principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/lab/subject/';
/** The pool that every GKE cluster of a project has. */
export const clusterPool = 'lab-project.svc.id.goog';
export const clusterIssuer =
  'https://container.googleapis.com/v1/projects/lab-project/locations/us-central1/clusters/lab';
const clusterPrincipal = `principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/${clusterPool}/subject/`;
export const pullerSubject = 'system:serviceaccount:default:puller';
export const pull = 'artifactregistry.repositories.downloadArtifacts';
export const getInstances = 'compute.instances.get';
export const listInstances = 'compute.instances.list';
export const cloudPlatform = 'https://www.googleapis.com/auth/cloud-platform';

export function initialGcpState(): GcpState {
  const puller = `${poolPrincipal}${pullerSubject}`;
  const clusterPuller = `${clusterPrincipal}${pullerSubject}`;
  return {
    projectId: 'lab-project',
    projectNumber: '123456789012',
    instance: {
      id: '4520031799277581759',
      name: 'lab-node-1',
      hostname: 'lab-node-1.us-central1-a.c.lab-project.internal',
      zone: 'us-central1-a',
      machineType: 'e2-standard-4',
      interfaces: [{ ip: '10.0.0.30' }],
      serviceAccounts: [nodeAccount],
      scopes: [cloudPlatform],
    },
    metadata: {},
    serviceAccounts: {
      [nodeAccount]: account('101000000000000000001', [pull, getInstances, listInstances], []),
      [deniedAccount]: account('101000000000000000002', [], []),
      [podAccount]: account('101000000000000000003', [pull], [`serviceAccount:${nodeAccount}`, puller, clusterPuller]),
    },
    users: {
      [userToken]: {
        email: 'person@lab.example',
        clientId: 'lab-client.apps.googleusercontent.com',
        clientSecret: `${secretMarker}client`,
        permissions: [pull],
      },
    },
    providers: {
      [`//iam.googleapis.com/${providerName}`]: {
        principalPrefix: poolPrincipal,
        issuer: labIssuer,
        audiences: [`https://iam.googleapis.com/${providerName}`, `//iam.googleapis.com/${providerName}`],
        keys: [],
      },
      [`identitynamespace:${clusterPool}:${clusterIssuer}`]: {
        principalPrefix: clusterPrincipal,
        issuer: clusterIssuer,
        audiences: [clusterPool],
        keys: [],
      },
    },
    principals: { [puller]: { permissions: [pull] }, [clusterPuller]: { permissions: [pull] } },
    computeInstances: {},
    compute: usualComputeBehaviour,
    identityKeys: [identitySigner.publicKey],
    accessTokens: {},
  };
}

export const userToken = `1//${secretMarker}refresh`;

function account(uniqueId: string, permissions: readonly string[], tokenCreators: readonly string[]): ServiceAccount {
  return { uniqueId, disabled: false, keys: [], permissions, tokenCreators };
}

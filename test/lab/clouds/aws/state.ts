import type { JsonWebKey } from 'node:crypto';
import { secretMarker } from '../secrets.ts';
import { usualEc2Behaviour } from './ec2-instance.ts';
import type { Ec2Behaviour, Ec2Instance } from './ec2-instance.ts';
import type { Ec2RouteTable } from './ec2-route-table.ts';

/** All that the embedded AWS knows. Tests change the upper half; the lower half is what it has given out. */
export interface AwsState {
  readonly accountId: string;
  readonly instance: Instance;
  /** What the metadata service answers at a path below `/latest/`, before its own documents. `null`: 404. */
  readonly metadata: Record<string, string | null>;
  readonly roles: Record<string, Role>;
  readonly users: Record<string, User>;
  /** By issuer URL: who may sign web identity tokens. */
  readonly issuers: Record<string, Issuer>;
  /** Who signs the account's own tokens for others; `null`: outbound federation is off, as in a new account. */
  readonly outbound: OutboundFederation | null;
  /** By access key id: the users' own, and those of sessions. */
  readonly accessKeys: Record<string, AccessKey>;
  /** By id, those of all accounts and regions. */
  readonly ec2Instances: Record<string, Ec2Instance>;
  readonly ec2: Ec2Behaviour;
  /** By id, those of all accounts and regions. */
  readonly routeTables: Record<string, Ec2RouteTable>;

  /** When each metadata token ends. */
  readonly metadataTokens: Record<string, number>;
  readonly registryLogins: RegistryLogin[];
}

export interface Instance {
  readonly instanceId: string;
  readonly region: string;
  readonly zone: string;
  readonly instanceType: string;
  readonly imageId: string;
  readonly privateIp: string;
  /** The domain name in the VPC's DHCP options, if set. */
  readonly dhcpDomain?: string;
  /** The role of its instance profile. */
  readonly roleName: string | null;
  readonly httpTokens: 'required' | 'optional';
}

export interface User {
  readonly id: string;
  /** Absent: the one that everything is in. */
  readonly accountId?: string;
  readonly permissions: readonly string[];
}

export interface Role extends User {
  /** Full ARNs of the users and roles that may take it on. */
  readonly trustedArns: readonly string[];
  readonly webIdentities: readonly { readonly issuer: string; readonly subjects: readonly string[] }[];
}

export interface Issuer {
  readonly audiences: readonly string[];
  readonly keys: readonly (JsonWebKey & { readonly kid?: string })[];
}

export interface OutboundFederation {
  readonly issuer: string;
  /** The private key, of RSA. */
  readonly key: JsonWebKey & { readonly kid: string };
}

export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiresAtMs?: number;
  readonly issuedAtMs?: number;
  readonly partition: string;
  readonly owner: { readonly kind: 'user' | 'role'; readonly name: string };
  readonly sessionName?: string;
}

/** A registry of the lab can ask here which logins are good. */
export interface RegistryLogin {
  readonly service: 'ecr' | 'ecr-public';
  readonly region: string;
  readonly username: string;
  readonly password: string;
  readonly expiresAtMs: number;
  /** Who asked for it. */
  readonly arn: string;
}

export function initialAwsState(): AwsState {
  return {
    accountId: '123456789012',
    instance: {
      instanceId: 'i-0a1b2c3d4e5f60718',
      region: 'us-west-2',
      zone: 'us-west-2b',
      instanceType: 'm7g.large',
      imageId: 'ami-0123456789abcdef0',
      privateIp: '10.0.0.20',
      roleName: 'lab-node',
      httpTokens: 'required',
    },
    metadata: {},
    roles: {
      'lab-node': { id: 'AROALABNODE0000000000', permissions: ofNodes, trustedArns: [], webIdentities: [] },
      'lab-denied': { id: 'AROALABDENIED00000000', permissions: [], trustedArns: [], webIdentities: [] },
      'lab-pod': {
        id: 'AROALABPOD00000000000',
        permissions: pull,
        trustedArns: ['arn:aws:iam::123456789012:role/lab-node', 'arn:aws:iam::123456789012:user/lab-user'],
        webIdentities: [{ issuer: labIssuer, subjects: ['system:serviceaccount:default:puller'] }],
      },
    },
    users: { 'lab-user': { id: 'AIDALABUSER0000000000', permissions: ofNodes } },
    issuers: { [labIssuer]: { audiences: ['sts.amazonaws.com'], keys: [] } },
    outbound: null,
    accessKeys: { [labUserKey.accessKeyId]: labUserKey },
    ec2Instances: {},
    ec2: usualEc2Behaviour,
    routeTables: {},
    metadataTokens: {},
    registryLogins: [],
  };
}

/** Trusted by the role `lab-pod`; a test adds the keys that it signs with. */
export const labIssuer = 'https://oidc.lab.example/cluster';

/** The permanent key of `lab-user`, who may pull, and who may assume the role `lab-pod`. */
export const labUserKey: AccessKey = {
  accessKeyId: 'AKIALABUSER000000000',
  secretAccessKey: `${secretMarker}lab-user-0123456789abcdefghij`,
  partition: 'aws',
  owner: { kind: 'user', name: 'lab-user' },
};

const pull = ['ecr:GetAuthorizationToken', 'ecr-public:GetAuthorizationToken', 'sts:GetServiceBearerToken'];
const ofNodes = [...pull, 'ec2:DescribeInstances', 'sts:GetWebIdentityToken'];

import { secretMarker } from '../secrets.ts';
import type { MetadataState } from './metadata.ts';
import type { LabNetwork, LabPort, LabRouter, LabServer } from './server.ts';

/** All that the embedded OpenStack knows. Tests change the upper half; the lower half is what it has given out. */
export interface OpenstackState {
  /** By their ids. */
  readonly projects: Record<string, LabProject>;
  readonly users: Record<string, LabUser>;
  readonly applicationCredentials: Record<string, LabApplicationCredential>;
  readonly servers: Record<string, LabServer>;
  readonly ports: Record<string, LabPort>;
  readonly networks: Record<string, LabNetwork>;
  readonly routers: Record<string, LabRouter>;
  /** What the catalog has: by region the address of each service. */
  readonly regions: Record<string, LabRegion>;
  readonly behaviour: OpenstackBehaviour;
  readonly metadata: MetadataState;

  /** By the token itself. */
  readonly tokens: Record<string, IssuedToken>;
}

export interface LabProject {
  readonly name: string;
}

/** All are in the domain `Default`, whose id is `default`. */
export interface LabUser {
  readonly name: string;
  readonly password: string;
  readonly enabled: boolean;
  /** By the project's id. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
}

export interface LabApplicationCredential {
  readonly name: string;
  readonly userId: string;
  readonly projectId: string;
  readonly secret: string;
  readonly roles: readonly string[];
}

export interface LabRegion {
  readonly compute: string;
  readonly network: string;
}

export interface IssuedToken {
  readonly projectId: string;
  readonly userId: string;
  readonly roles: readonly string[];
  readonly expiresAtMs: number;
}

/** How OpenStack answers; everything but the usual is something that went wrong there. */
export interface OpenstackBehaviour {
  readonly tokenLifeS: number;
  /** The most servers in a page. Nova's default is 1,000. */
  readonly pageMax: number;
  /** The host in links to next pages; absent: that of the request. */
  readonly linkHost?: string;
  /** Each page names itself as the next one. */
  readonly endless: boolean;
  /** Ids of servers that lists leave out. */
  readonly leftOutOfLists: readonly string[];
  /** The same for requests for one server: 404. */
  readonly hiddenFromShow: readonly string[] | 'all';
  /** Neutron leaves out what a policy hides, without an error. */
  readonly portsHidden: boolean;
  /** Nova before Queens. */
  readonly isOld: boolean;
}

export const labProjectId = '0a1b2c3d4e5f60718293a4b5c6d7e8f9';
export const otherProjectId = 'f0e1d2c3b4a5968778695a4b3c2d1e0f';
export const labUserId = '11111111111111111111111111111111';
export const labCredentialId = '22222222222222222222222222222222';
export const labPassword = `${secretMarker}password`;
export const labCredentialSecret = `${secretMarker}application`;
export const labRegion = 'RegionOne';

/** Nothing but variables is needed, with the application credential. */
export const labOpenrc = {
  OS_AUTH_URL: 'https://keystone.cloud.example/v3',
  OS_AUTH_TYPE: 'v3applicationcredential',
  OS_APPLICATION_CREDENTIAL_ID: labCredentialId,
  OS_APPLICATION_CREDENTIAL_SECRET: labCredentialSecret,
};

export function initialOpenstackState(): OpenstackState {
  return {
    projects: { [labProjectId]: { name: 'kubernetes' }, [otherProjectId]: { name: 'others' } },
    users: {
      [labUserId]: {
        name: 'polycloud',
        password: labPassword,
        enabled: true,
        roles: { [labProjectId]: ['reader'], [otherProjectId]: ['reader'] },
      },
    },
    applicationCredentials: {
      [labCredentialId]: {
        name: 'polycloud',
        userId: labUserId,
        projectId: labProjectId,
        secret: labCredentialSecret,
        roles: ['reader'],
      },
    },
    servers: {},
    ports: {},
    networks: {},
    routers: {},
    regions: {
      [labRegion]: { compute: 'https://nova.cloud.example/v2.1', network: 'https://neutron.cloud.example' },
    },
    behaviour: {
      tokenLifeS: 3_600,
      pageMax: 1_000,
      endless: false,
      leftOutOfLists: [],
      hiddenFromShow: [],
      portsHidden: false,
      isOld: false,
    },
    metadata: { server: null },
    tokens: {},
  };
}

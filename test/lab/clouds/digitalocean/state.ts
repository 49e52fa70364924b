import { markedSecret, secretMarker } from '../secrets.ts';

/** All that the embedded DigitalOcean knows. Tests change the upper half; the lower half is what it has given out. */
export interface DigitaloceanState {
  /** By the token. */
  readonly tokens: Record<string, LabToken>;
  /** By id. */
  readonly droplets: Record<string, LabDroplet>;
  /** Registries by name, with their teams. */
  readonly registries: Record<string, string>;
  /** `dropletId`: the machine that the metadata service is on. */
  readonly metadata: { readonly dropletId: string; readonly document: string | null };

  /** What the API has given out, by `user:password`. A registry of the lab can ask here which logins are good. */
  readonly logins: Record<string, LabRegistryLogin>;
}

export interface LabToken {
  readonly team: string;
  readonly scopes: readonly string[];
}

export interface LabDroplet {
  readonly id: number;
  readonly name: string;
  readonly team: string;
  readonly status: string;
  readonly size: string;
  readonly region: string;
  readonly isGpu: boolean;
  readonly privateIpv4: string | null;
  readonly publicIpv4: string | null;
  readonly publicIpv6: string | null;
}

export interface LabRegistryLogin {
  readonly registry: string;
  readonly isReadOnly: boolean;
  /** `null`: never. */
  readonly expiresAtMs: number | null;
}

export const labToken = `dop_v1_${secretMarker.toLowerCase()}${secretMarker}own`;
export const otherTeamToken = `dop_v1_${secretMarker}other`;

export const labDroplet: LabDroplet = {
  id: 3_164_444,
  name: 'lab-node-1',
  team: 'lab',
  status: 'active',
  size: 's-2vcpu-4gb',
  region: 'nyc3',
  isGpu: false,
  privateIpv4: '10.132.0.11',
  publicIpv4: '192.0.2.11',
  publicIpv6: null,
};

export function initialDigitaloceanState(): DigitaloceanState {
  const scopes = ['droplet:read', 'registry:read'];
  return {
    tokens: { [labToken]: { team: 'lab', scopes }, [otherTeamToken]: { team: 'other', scopes } },
    droplets: { [labDroplet.id]: labDroplet },
    registries: { 'lab-registry': 'lab', 'other-registry': 'other' },
    metadata: { dropletId: String(labDroplet.id), document: null },
    logins: {},
  };
}

export function issueLogin(login: LabRegistryLogin, state: DigitaloceanState): string {
  const password = markedSecret('dop_v1_', 71);
  state.logins[`${password}:${password}`] = login;
  return `${password}:${password}`;
}

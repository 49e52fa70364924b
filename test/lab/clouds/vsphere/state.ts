import { markedSecret } from '../secrets.ts';

/** Two vCenters. What is named in `Patch` is replaced in each of them alone. */
export interface VsphereState {
  readonly a: VcenterState;
  readonly b: VcenterState;
}

export interface VcenterState {
  readonly username: string;
  readonly password: string;
  readonly sessions: readonly string[];
  readonly restSessions: readonly string[];
  /** By the id of the object, e.g. `vm-1`. */
  readonly vms: Readonly<Record<string, LabVm>>;
  /** Key of an object (`HostSystem:host-1`) → key of what it is in. */
  readonly parents: Readonly<Record<string, string>>;
  /** Key of an object → its tags. */
  readonly tags: Readonly<Record<string, readonly LabTag[]>>;
  /** The account cannot see these machines any more. */
  readonly hidden: 'all' | readonly string[];
  /** Lists do not have these, although they exist. */
  readonly leftOutOfLists: readonly string[];
  /** Searches do not find these, although they exist. */
  readonly leftOutOfSearches: 'all' | readonly string[];
  readonly roles: readonly number[];
  readonly pageObjects: number;
  /** Every call is answered with this fault. */
  readonly fault: string;
  readonly endless: boolean;
}

export interface LabTag {
  readonly category: string;
  readonly name: string;
}

export interface LabVm {
  readonly name: string;
  readonly uuid: string;
  readonly hostName: string;
  readonly nics: readonly {
    readonly network: string;
    readonly deviceConfigId: number;
    readonly addresses: readonly string[];
  }[];
  readonly powerState: string;
  readonly connectionState: string;
  readonly isTemplate: boolean;
  readonly cpuCount: number;
  readonly memoryMb: number;
  readonly guestId: string;
  readonly host: string;
  readonly resourcePool: string;
  readonly folder: string;
  readonly datacenter: string;
  readonly extraConfig: Readonly<Record<string, string>>;
}

export const labPassword = markedSecret('', 24);

export function initialVsphereState(): VsphereState {
  return { a: emptyVcenter(), b: emptyVcenter() };
}

function emptyVcenter(): VcenterState {
  return {
    username: 'polycloud@vsphere.local',
    password: labPassword,
    sessions: [],
    restSessions: [],
    vms: {},
    parents: {
      'HostSystem:host-1': 'ClusterComputeResource:cluster-1',
      'ClusterComputeResource:cluster-1': 'Folder:group-h1',
      'Folder:group-h1': 'Datacenter:datacenter-1',
      'ResourcePool:resgroup-1': 'ClusterComputeResource:cluster-1',
      'Folder:group-v1': 'Datacenter:datacenter-1',
      'Datacenter:datacenter-1': 'Folder:group-d1',
      'Datacenter:datacenter-2': 'Folder:group-d1',
    },
    tags: {},
    hidden: [],
    leftOutOfLists: [],
    leftOutOfSearches: [],
    roles: [-2],
    pageObjects: 500,
    fault: '',
    endless: false,
  };
}

/** A running machine with one address. `number` from 1 to 60,000. */
export function labVm(number: number, changes: Partial<LabVm> = {}): LabVm {
  const hex = number.toString(16).padStart(4, '0');
  return {
    name: `worker ${number}`,
    uuid: `423e10c5-4a2b-7c1d-9a3e-1f2b3c4d${hex}`,
    hostName: `node-${number}`,
    nics: [{ network: 'VM Network', deviceConfigId: 4000, addresses: [`10.3.${number >> 8}.${number & 255}`] }],
    powerState: 'poweredOn',
    connectionState: 'connected',
    isTemplate: false,
    cpuCount: 4,
    memoryMb: 16_383,
    guestId: 'ubuntu64Guest',
    host: 'HostSystem:host-1',
    resourcePool: 'ResourcePool:resgroup-1',
    folder: 'Folder:group-v1',
    datacenter: 'DC0',
    extraConfig: {},
    ...changes,
  };
}

/** `vm-1` and so on. */
export function labVms(count: number): Readonly<Record<string, LabVm>> {
  return Object.fromEntries(Array.from({ length: count }, (_each, at) => [`vm-${at + 1}`, labVm(at + 1)]));
}

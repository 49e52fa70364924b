/** An instance in Compute Engine. Tests change its state. */
export interface ComputeInstance {
  readonly project: string;
  readonly zone: string;
  readonly name: string;
  readonly id: string;
  readonly machineType: string;
  readonly status: ComputeStatus;
  readonly interfaces: readonly ComputeInterface[];
}

/** https://cloud.google.com/compute/docs/instances/instance-lifecycle */
export type ComputeStatus =
  'PROVISIONING' | 'STAGING' | 'RUNNING' | 'STOPPING' | 'TERMINATED' | 'REPAIRING' | 'SUSPENDING' | 'SUSPENDED';

export interface ComputeInterface {
  /** Absent: IPv6 only. */
  readonly ip?: string;
  readonly externalIp?: string;
  readonly ipv6?: string;
  readonly externalIpv6?: string;
  readonly aliasRanges?: readonly string[];
}

/** How Compute Engine answers; everything but the usual is something that went wrong there. */
export interface ComputeBehaviour {
  /** Projects and zones that exist. */
  readonly projects: readonly string[];
  readonly zones: readonly string[];
  /** A list is without them and names them; a request for an instance there fails. */
  readonly unreachableZones: readonly string[];
  /** A list that is not whole: how it shows that. */
  readonly partialBy: 'unreachables' | 'warning-of-zone' | 'warning-of-list';
  /** `project/zone/name` of instances that lists leave out. */
  readonly leftOutOfLists: readonly string[];
  /** The same for requests for one instance: 404. */
  readonly hiddenFromGet: readonly string[] | 'all';
  /** The most instances in a page. */
  readonly pageMax: number;
  /** Each page names itself as the next one. */
  readonly endless: boolean;
}

export const usualComputeBehaviour: ComputeBehaviour = {
  projects: ['lab-project', 'other-project'],
  zones: ['us-central1-a', 'us-central1-b', 'europe-west4-a'],
  unreachableZones: [],
  partialBy: 'unreachables',
  leftOutOfLists: [],
  hiddenFromGet: [],
  pageMax: 500,
  endless: false,
};

export interface ComputeFleet {
  readonly count: number;
  readonly project: string;
  /** In turn. */
  readonly zones: readonly string[];
  /** Tells the ids and addresses of two fleets apart; 0 to 99. */
  readonly number: number;
}

/** That many running instances with one interface each, the same for the same wishes. */
export function computeFleetOf(fleet: ComputeFleet): Record<string, ComputeInstance> {
  const instances = Array.from({ length: fleet.count }, (_each, index) => instanceAt(index, fleet));
  return Object.fromEntries(instances.map((instance) => [keyOf(instance), instance]));
}

export function keyOf({ project, zone, name }: Pick<ComputeInstance, 'project' | 'zone' | 'name'>): string {
  return `${project}/${zone}/${name}`;
}

/** Above 2^53, as real ones are: they are numbers that no double can hold. */
const firstId = 4_520_031_799_277_000_000n;

function instanceAt(index: number, { project, zones, number }: ComputeFleet): ComputeInstance {
  const at = number * 1_000_000 + index;
  return {
    project,
    zone: zones[index % zones.length] ?? 'us-central1-a',
    name: `node-${String(at)}`,
    id: String(firstId + BigInt(at)),
    machineType: 'e2-standard-4',
    status: 'RUNNING',
    interfaces: [{ ip: `10.${String(number)}.${String(index >> 8)}.${String(index & 255)}` }],
  };
}

/** An instance in EC2. Tests change its state. */
export interface Ec2Instance {
  readonly instanceId: string;
  readonly accountId: string;
  readonly region: string;
  readonly zone: string;
  readonly zoneId: string;
  readonly instanceType: string;
  readonly state: Ec2State;
  readonly launchedAtMs: number;
  /** A terminated instance is shown for a while after this, and then never again. */
  readonly terminatedAtMs?: number;
  readonly privateDnsName: string;
  readonly publicDnsName?: string;
  readonly publicIp?: string;
  readonly interfaces: readonly Ec2Interface[];
  readonly tags: Readonly<Record<string, string>>;
  /** Does it refuse packets for other addresses than its own? Absent: yes. */
  readonly sourceDestCheck?: boolean;
}

export type Ec2State = 'pending' | 'running' | 'shutting-down' | 'terminated' | 'stopping' | 'stopped';

export interface Ec2Interface {
  readonly deviceIndex: number;
  readonly status: 'in-use' | 'available';
  /** The first is the primary one. */
  readonly privateIps: readonly string[];
  readonly ipv6: readonly string[];
}

/** How EC2 answers; everything but the usual is something that went wrong there, or that it does to anybody. */
export interface Ec2Behaviour {
  /** `empty`: 200 and nothing in it, whatever was asked. */
  readonly answers: 'whole' | 'empty';
  /** Ids that every response omits, as if they had not been requested. */
  readonly leftOut: readonly string[];
  /** Questions that touch an instance there fail. */
  readonly brokenZones: readonly string[];
  /** What is asked of another account's instance by its id: EC2 documents that it leaves it out. */
  readonly foreign: 'left-out' | 'not-found';
  /** How many unknown ids a refusal names. */
  readonly namedMax: number;
  /** How long a new instance is not yet seen. */
  readonly invisibleForMs: number;
  readonly terminatedForMs: number;
  /** The most instances in a page, also where the question has no limit. */
  readonly pageMax: number;
}

export const usualEc2Behaviour: Ec2Behaviour = {
  answers: 'whole',
  leftOut: [],
  brokenZones: [],
  foreign: 'left-out',
  namedMax: 1_000,
  invisibleForMs: 0,
  terminatedForMs: 60 * 60 * 1000,
  pageMax: 1_000,
};

export const stateCodes: Readonly<Record<Ec2State, number>> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

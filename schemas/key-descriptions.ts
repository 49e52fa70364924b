import type { keys } from './keys.ts';

export interface KeyDescription {
  readonly kind: 'label' | 'annotation' | 'taint' | 'condition';
  readonly on: 'Node' | 'pod' | 'Lease';
  /** Who sets it. */
  readonly writer: string;
  readonly meaning: string;
}

type DescribedKey = Exclude<keyof typeof keys, 'awsExternalId'>;

/** What our keys on objects mean, for the reference. */
export const keyDescriptions: Readonly<Record<DescribedKey, KeyDescription>> = {
  ownership: {
    kind: 'label',
    on: 'Node',
    writer: 'operator, or kubelet at registration',
    meaning: '`false` excludes the Node; the name of a cloud assigns it to that cloud',
  },
  describedByAgent: {
    kind: 'annotation',
    on: 'Node',
    writer: 'agent',
    meaning: 'the cloud that the agent detected; the controller leaves addresses and labels of this Node to the agent',
  },
  vsphereVcenter: {
    kind: 'label',
    on: 'Node',
    writer: 'controller',
    meaning: 'the name of the vCenter that has the machine',
  },
  vsphereVm: {
    kind: 'label',
    on: 'Node',
    writer: 'controller',
    meaning: 'the id of the virtual machine in its vCenter; without it the Node is not deleted',
  },
  instanceId: {
    kind: 'annotation',
    on: 'Node',
    writer: 'agent and controller',
    meaning: 'the immutable id of the instance, where another instance can get the same providerID',
  },
  openstackProject: {
    kind: 'label',
    on: 'Node',
    writer: 'agent and controller',
    meaning:
      'the OpenStack project of the server; only credentials of this project can show that it is gone, and without it the Node is not deleted',
  },
  digitaloceanVpc: {
    kind: 'label',
    on: 'Node',
    writer: 'controller',
    meaning: 'the VPC network of the Droplet; without it the Node is not deleted',
  },
  confirmDeletions: {
    kind: 'annotation',
    on: 'Node',
    writer: 'operator',
    meaning: 'the token that confirms the stopped deletions of a scope',
  },
  leaderStatus: {
    kind: 'annotation',
    on: 'Lease',
    writer: 'controller',
    meaning: 'the clouds, scopes and failures that the leader knows, as JSON, for `polycloud-ccm status`',
  },
  installFailure: {
    kind: 'annotation',
    on: 'Lease',
    writer: 'agent; an operator removes it',
    meaning: 'the first restart of a kubelet that failed, by `install --restart-kubelet`; it stops all others',
  },
  instanceCondition: {
    kind: 'condition',
    on: 'Node',
    writer: 'controller',
    meaning:
      '`False`: what the cloud reports of an instance that is not found; reason and message are those of the event',
  },
  interruptionTaint: {
    kind: 'taint',
    on: 'Node',
    writer: 'agent',
    meaning: 'the instance is about to go, or may be; the value is the effect of the notice',
  },
  interruptionState: {
    kind: 'annotation',
    on: 'Node',
    writer: 'agent',
    meaning: 'what the agent knows of notices and of its drain, so that a restarted agent goes on',
  },
  interruptionCondition: {
    kind: 'condition',
    on: 'Node',
    writer: 'agent',
    meaning: '`True`: what the cloud announced of the instance, in its own words',
  },
  drainPod: {
    kind: 'annotation',
    on: 'pod',
    writer: 'operator',
    meaning: '`false` excludes the pod from drains',
  },
  drainOrder: {
    kind: 'annotation',
    on: 'pod',
    writer: 'operator',
    meaning: 'a whole number; pods with a smaller one are evicted first; without it 0',
  },
};

/** The reasons of the condition `polycloud.dev/Interruption`. */
export const interruptionConditionReasons = {
  InstanceEnds: 'the instance ends',
  InstanceRestarts: 'the instance restarts',
  InstancePauses: 'the instance pauses, for example for a live migration',
  InstanceMayEnd: 'the instance may end',
  NoNotice: 'the cloud announces no interruption; the status is `False`',
} as const;

/** Keys of Kubernetes that the programs write on Nodes. */
export const writtenWellKnownKeys = [
  ['taint', 'node.cloudprovider.kubernetes.io/uninitialized', 'removed when a new Node is initialised'],
  ['taint', 'node.cloudprovider.kubernetes.io/shutdown', 'set by the controller while the instance is stopped'],
  ['taint', 'node.kubernetes.io/out-of-service', 'set by the controller while the instance is stopped, if configured'],
  ['label', 'node.kubernetes.io/instance-type', 'the type of the instance, also as `beta.kubernetes.io/instance-type`'],
  ['label', 'topology.kubernetes.io/zone', 'its zone, also as `failure-domain.beta.kubernetes.io/zone`'],
  ['label', 'topology.kubernetes.io/region', 'its region, also as `failure-domain.beta.kubernetes.io/region`'],
] as const;

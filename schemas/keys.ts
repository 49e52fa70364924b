/** Every key of ours on objects of the cluster. */
export const keys = {
  /** Label: `false` excludes a Node; the name of a cloud assigns it to that cloud. */
  ownership: 'polycloud.dev/cloud',
  /** Annotation: the agent sets it on a Node that it described. */
  describedByAgent: 'polycloud.dev/described-by-agent',
  /** Annotation: the immutable id of the instance, where the providerID is only a name that another one can get. */
  instanceId: 'polycloud.dev/instance-id',
  /** Label: the OpenStack project of the Node's server. Only credentials of this project can show that it is gone. */
  openstackProject: 'polycloud.dev/openstack-project-id',
  /** Label: the name of the vCenter that has the machine. */
  vsphereVcenter: 'polycloud.dev/vsphere-vcenter',
  /** Label: the object of vCenter that is the machine. Only if this object is gone can the machine be. */
  vsphereVm: 'polycloud.dev/vsphere-vm',
  /** Label: the VPC network of the Droplet. The controller found the Droplet, so that it can tell when it is gone. */
  digitaloceanVpc: 'polycloud.dev/digitalocean-vpc',
  /** Annotation: an operator sets it to the token that confirms the stopped deletions of a scope. */
  confirmDeletions: 'polycloud.dev/confirm-deletions',
  /** Annotation of the controller's Lease: what the leader knows, as JSON, for `polycloud-ccm status`. */
  leaderStatus: 'polycloud.dev/leader-status',
  /** Annotation of the Lease `polycloud-install`: why no kubelet is restarted any more; an operator removes it. */
  installFailure: 'polycloud.dev/install-failure',
  /** Condition: what the cloud reports of an instance that is not running. */
  instanceCondition: 'polycloud.dev/Instance',
  /** Taint: the instance is about to go, or may be; its value is the effect of the notice. */
  interruptionTaint: 'polycloud.dev/interruption',
  /** Annotation of a Node: what the agent knows of notices and of its drain, so that a restarted agent goes on. */
  interruptionState: 'polycloud.dev/interruption',
  /** Condition: what the cloud announced of the instance. */
  interruptionCondition: 'polycloud.dev/Interruption',
  /** Annotation of a pod: `false` excludes it from drains. */
  drainPod: 'polycloud.dev/drain',
  /** Annotation of a pod: a whole number; pods with a smaller one are evicted first. Without it 0. */
  drainOrder: 'polycloud.dev/drain-order',
  /** In the configuration's `role`, never on an object: the external id that an AWS role of another account requires. */
  awsExternalId: 'polycloud.dev/aws-external-id',
} as const;

/** The reasons of events about notices and drains. */
export const interruptionReasons = {
  announced: 'InterruptionAnnounced',
  withdrawn: 'InterruptionWithdrawn',
  drainStarted: 'DrainStarted',
  drainFinished: 'DrainFinished',
  drainStopped: 'DrainStopped',
  podsBlocked: 'DrainBlocked',
} as const;

/** Keys of Kubernetes that cloud controllers set or read. https://kubernetes.io/docs/reference/labels-annotations-taints/ */
export const wellKnown = {
  uninitializedTaint: 'node.cloudprovider.kubernetes.io/uninitialized',
  shutdownTaint: 'node.cloudprovider.kubernetes.io/shutdown',
  outOfServiceTaint: 'node.kubernetes.io/out-of-service',
  /** Condition: `True` keeps pods away from a Node that has no route to them. */
  networkUnavailable: 'NetworkUnavailable',
  /** Annotation of a pod that the kubelet runs from a file, and that the API server only shows. */
  mirrorPod: 'kubernetes.io/config.mirror',
  providedNodeIp: 'alpha.kubernetes.io/provided-node-ip',
  instanceType: ['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'],
  zone: ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'],
  region: ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'],
} as const;

/** Every key of ours on objects of the cluster. */
export const keys = {
  /** Label: `false` excludes a Node; the name of a cloud assigns it to that cloud. */
  ownership: 'polycloud.dev/cloud',
  /** Annotation: the agent sets it on a Node that it described. */
  describedByAgent: 'polycloud.dev/described-by-agent',
  /** Annotation: the immutable id of the instance, where the providerID is only a name that another one can get. */
  instanceId: 'polycloud.dev/instance-id',
  /** Annotation: an operator sets it to the token that confirms the stopped deletions of a scope. */
  confirmDeletions: 'polycloud.dev/confirm-deletions',
  /** Condition: what the cloud reports of an instance that is not running. */
  instanceCondition: 'polycloud.dev/Instance',
  /** In the configuration's `role`, never on an object: the external id that an AWS role of another account requires. */
  awsExternalId: 'polycloud.dev/aws-external-id',
} as const;

/** Keys of Kubernetes that cloud controllers set or read. https://kubernetes.io/docs/reference/labels-annotations-taints/ */
export const wellKnown = {
  uninitializedTaint: 'node.cloudprovider.kubernetes.io/uninitialized',
  shutdownTaint: 'node.cloudprovider.kubernetes.io/shutdown',
  outOfServiceTaint: 'node.kubernetes.io/out-of-service',
  providedNodeIp: 'alpha.kubernetes.io/provided-node-ip',
  instanceType: ['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'],
  zone: ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'],
  region: ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'],
} as const;

/** Every key that is ours on an object of the cluster. */
export const keys = {
  /** Label: `false` takes a node out of our hands; a cloud's name gives it to that cloud. */
  ownership: 'polycloud.dev/cloud',
  /** Annotation that the agent puts on a Node that it described. */
  describedByAgent: 'polycloud.dev/described-by-agent',
  /** Annotation, by an operator: the word that lets deletions go on in a scope whose breaker is open. */
  confirmDeletions: 'polycloud.dev/confirm-deletions',
  /** Condition: what the cloud says of the instance, where it is not simply there. */
  instanceCondition: 'polycloud.dev/Instance',
  /** In the configuration's `role`, never on an object: what an AWS role of another account asks for. */
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

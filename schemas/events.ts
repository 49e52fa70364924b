/** Where an event comes from. */
export type EventWriter = 'agent' | 'controller' | 'agent and controller';

export interface EventDescription {
  readonly writer: EventWriter;
  readonly type: 'Normal' | 'Warning';
  /** When it is created. */
  readonly when: string;
  /** Absent: nothing is to be done. */
  readonly remedy?: string;
}

/** Every event that the programs create, by its reason. Reasons stay the same from version to version. */
export const nodeEvents = {
  Synced: {
    writer: 'agent and controller',
    type: 'Normal',
    when: 'a new Node was initialised',
  },
  NodeInitFailed: {
    writer: 'agent and controller',
    type: 'Warning',
    when: 'a new Node cannot be initialised; once for each kind of failure',
    remedy: 'do what the hint in the message names; it is retried',
  },
  NodeUpdateFailed: {
    writer: 'agent',
    type: 'Warning',
    when: 'an initialised Node cannot be compared with its instance; once for each kind of failure',
    remedy: 'do what the hint in the message names; it is retried',
  },
  ProviderIDMismatch: {
    writer: 'agent',
    type: 'Warning',
    when: "the Node's providerID is that of another machine",
    remedy: "check the kubelet's `--provider-id` and `--hostname-override`; delete the Node if its machine is gone",
  },
  ProvidedNodeIPNotFound: {
    writer: 'agent and controller',
    type: 'Warning',
    when: "the kubelet's `--node-ip` is no address of the instance",
    remedy: 'correct `--node-ip`, or leave it out',
  },
  NodeKeepsChanging: {
    writer: 'agent and controller',
    type: 'Warning',
    when: 'something else changes the Node during each attempt to write it',
    remedy: 'find the other writer, such as a second controller, in the managedFields of the Node',
  },
  InstanceFound: {
    writer: 'controller',
    type: 'Normal',
    when: 'an instance that was reported as gone is found again',
  },
  InstanceGone: {
    writer: 'controller',
    type: 'Warning',
    when: 'the cloud reports that the instance is gone; the Node is deleted when all rules hold',
    remedy: '`polycloud-ccm explain NODE` shows the rules',
  },
  InstanceGoneButReady: {
    writer: 'controller',
    type: 'Warning',
    when: 'the cloud reports that the instance is gone, but the Node is Ready; it is not deleted',
    remedy: "check that the controller's credentials are for the account of the instance",
  },
  InstanceNeverFound: {
    writer: 'controller',
    type: 'Warning',
    when: 'no look-up has found the instance of the Node yet; it is not deleted',
    remedy: "check the Node's providerID or name, and the account and region of the configuration",
  },
  InstanceAmbiguous: {
    writer: 'controller',
    type: 'Warning',
    when: 'several instances could be the one of the Node; it is not deleted',
    remedy: 'let the kubelet set `--provider-id`, or end the instances that should not exist',
  },
  DeletionsStopped: {
    writer: 'controller',
    type: 'Warning',
    when: 'too many instances of a scope are missing at once, so their Nodes are not deleted',
    remedy: 'check that the instances are gone; then confirm as the condition and `polycloud-ccm explain NODE` show',
  },
  DeletingNode: {
    writer: 'controller',
    type: 'Normal',
    when: 'right before a Node is deleted',
  },
  FailedToCreateRoute: {
    writer: 'controller',
    type: 'Warning',
    when: 'a route to the pods of the Node cannot be created; once for each reason',
    remedy: 'do what the hint in the message names; [the guide](../guides/routes.md) lists what stops a route',
  },
  RegistryLoginFailed: {
    writer: 'agent',
    type: 'Warning',
    when:
      'the broker got no registry login, so a pull on this Node failed; once in 5 minutes for each registry and kind ' +
      'of failure, at most 50',
    remedy: '`polycloud-credential-provider doctor IMAGE` on the node shows each step of the login',
  },
  InterruptionAnnounced: {
    writer: 'agent',
    type: 'Warning',
    when: 'the cloud announced an interruption, or its time or state has changed',
  },
  InterruptionWithdrawn: {
    writer: 'agent',
    type: 'Normal',
    when: 'an announced interruption is over or withdrawn',
  },
  DrainStarted: { writer: 'agent', type: 'Warning', when: 'the agent begins to evict the pods of its Node' },
  DrainFinished: { writer: 'agent', type: 'Normal', when: 'all pods that have to go are gone' },
  DrainStopped: { writer: 'agent', type: 'Normal', when: 'the reason of a drain is gone before its end' },
  DrainBlocked: {
    writer: 'agent',
    type: 'Warning',
    when: 'PodDisruptionBudgets protect pods that have to go',
    remedy: 'add replicas elsewhere; the pods are deleted in time before the deadline',
  },
} as const satisfies Readonly<Record<string, EventDescription>>;

export type NodeEventReason = keyof typeof nodeEvents;

/** Events on the Lease of the controller. `kubectl describe lease` shows them. */
export const leaseEvents = {
  CloudFailing: {
    writer: 'controller',
    type: 'Warning',
    when: 'instances of a scope cannot be looked up; for each kind of failure once, then every 5 minutes',
    remedy: 'do what the hint in the message names; no Node of the scope is deleted meanwhile',
  },
  CloudRecovered: { writer: 'controller', type: 'Normal', when: 'after `CloudFailing`' },
} as const satisfies Readonly<Record<string, EventDescription>>;

export type LeaseEventReason = keyof typeof leaseEvents;

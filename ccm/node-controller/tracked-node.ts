import type { Instance, NodeFacts, NodeUid } from '../../clouds/index.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { NodeRecord } from '../lifecycle/record.ts';
import type { MachineIds } from '../lifecycle/reused-name.ts';
import { factsOf } from '../../lib/node/facts.ts';
import { isOlder } from '../../lib/node/same-node.ts';
import { ownershipOf } from './ownership.ts';
import type { CloudScope, EnabledCloud, Ownership } from './ownership.ts';

/** A Node and what this leader knows about it. All of it is forgotten when the leader changes. */
export interface TrackedNode {
  readonly uid: NodeUid;
  node: Node;
  facts: NodeFacts;
  ownership: Ownership;
  /** On the monotonic clock; `Infinity`: never. */
  dueAtMs: number;
  /** Before that its scopes accept no look-up, even if it is due; on the monotonic clock. */
  heldUntilMs: number;
  /** It is being looked up or written. */
  busy: boolean;
  /** Failed attempts to sync it, in a row. */
  failures: number;
  /** Look-ups in a row in which parts of the instance could not be read. */
  unreadTimes: number;
  /** More than one if something adds the taint again. */
  initialisations: number;
  record?: NodeRecord;
  instance?: Instance;
  /** The ids of the machine when the cloud last reported the instance id that is on the Node. */
  lastMachine?: MachineIds;
  /** The first list with this instance id for this machine, on the monotonic clock. */
  firstListed?: { readonly instanceId: string; readonly machine: MachineIds; readonly atMs: number };
  /** When taints of ours were last removed, on the monotonic clock. */
  taintsRemovedAtMs?: number;
  /** The last decision, for people. */
  reason: string;
  /** In a dry run: the last plan that was logged, by part of the Node. */
  readonly loggedPlans: Map<string, string>;
  /** The failures that were logged since it was last in sync. */
  readonly loggedFailures: Set<string>;
  /** The last warning event, so that it is not repeated for every attempt. */
  lastWarning?: string;
}

/** The API server gives empty texts for ids that a kubelet did not write. */
export function machineOf({ status: { nodeInfo } }: Node): MachineIds {
  const { systemUUID, bootID } = nodeInfo ?? {};
  return { ...(systemUUID && { systemUuid: systemUUID }), ...(bootID && { bootId: bootID }) };
}

export function trackNode(node: Node, clouds: readonly EnabledCloud[]): TrackedNode {
  const facts = factsOf(node);
  const ownership = ownershipOf(facts, clouds);
  return {
    uid: facts.uid,
    node,
    facts,
    ownership,
    dueAtMs: ownership.kind === 'ours' ? 0 : Infinity,
    heldUntilMs: 0,
    busy: false,
    failures: 0,
    unreadTimes: 0,
    initialisations: 0,
    loggedPlans: new Map(),
    loggedFailures: new Set(),
    reason: ownership.kind === 'ours' ? 'not asked for yet' : ownership.reason,
  };
}

/** After a write. The watch may have delivered a later version already. */
export function keepNewerNode(tracked: TrackedNode, node: Node): void {
  if (isOlder(node, tracked.node)) return;
  tracked.node = node;
  tracked.facts = factsOf(node);
}

/** When it can be looked up, on the monotonic clock. */
export function readyAtMs({ busy, dueAtMs, heldUntilMs }: TrackedNode): number {
  return busy ? Infinity : Math.max(dueAtMs, heldUntilMs);
}

export function cloudScopesOf({ ownership }: TrackedNode): readonly CloudScope[] {
  return ownership.kind === 'ours' ? ownership.cloudScopes : [];
}

/** Nodes with the same scopes are looked up together. */
export function batchKeyOf(tracked: TrackedNode): string {
  return cloudScopesOf(tracked)
    .map(({ scope }) => scope.key)
    .join(' ');
}

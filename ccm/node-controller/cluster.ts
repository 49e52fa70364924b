import { dryRunWriter } from '../../lib/node/dry-run-writer.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import type { NodeWriter } from '../../lib/node/node-writer.ts';
import type { LeaseEventReason } from '../../schemas/events.ts';
import type { Node, NodeCondition } from '../../schemas/kubernetes.ts';

/**
 * What the controller does to the cluster. Each write is refused by `LeadershipLost` once another may be leading.
 * `not-written`: this is a dry run.
 */
export interface Cluster extends NodeWriter {
  setCondition(node: Node, condition: NodeCondition): Promise<'written' | 'not-written'>;
  /** Only if it is still the same Node, not Ready and ours, and `stands` returns true at the last moment. */
  deleteNode(node: Node, stands: () => boolean): Promise<'removed' | 'not-this-one' | 'not-written'>;
  recordEvent(node: Node, event: NodeEvent): Promise<'written' | 'not-written'>;
  /** About the controller itself, on its Lease. `not-written` also: there is no Lease. */
  recordLeaseEvent(event: LeaseEvent): Promise<'written' | 'not-written'>;
}

export interface LeaseEvent extends Pick<NodeEvent, 'type' | 'message'> {
  readonly reason: LeaseEventReason;
}

/** Thrown instead of a write: another process may be leading by now. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost';
}

/** The cluster for a process that does not lead. */
export const notLeading: Cluster = {
  read: refuse,
  patch: refuse,
  patchStatus: refuse,
  setCondition: refuse,
  deleteNode: refuse,
  recordEvent: refuse,
  recordLeaseEvent: refuse,
};

function refuse(): Promise<never> {
  return Promise.reject(new LeadershipLost('this process does not lead'));
}

/** Reads as usual, and writes nothing. */
export function dryRunCluster(cluster: Pick<Cluster, 'read'>): Cluster {
  const skip = (): Promise<'not-written'> => Promise.resolve('not-written');
  return { ...dryRunWriter(cluster), setCondition: skip, deleteNode: skip, recordEvent: skip, recordLeaseEvent: skip };
}

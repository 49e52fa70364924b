import type { NodeEvent } from '../../lib/node/node-event.ts';
import type { NodeWriter } from '../../lib/node/node-writer.ts';
import type { Node, NodeCondition } from '../../schemas/kubernetes.ts';

/** What the controller does to the cluster. Each write is refused by `LeadershipLost` once another may be leading. */
export interface Cluster extends NodeWriter {
  setCondition(node: Node, condition: NodeCondition): Promise<void>;
  /** Only if it is still this very Node, not Ready and ours. */
  remove(node: Node): Promise<'removed' | 'not-this-one'>;
  tell(node: Node, event: NodeEvent): Promise<void>;
}

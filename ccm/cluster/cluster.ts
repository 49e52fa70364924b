import type { Node, NodeCondition } from '../../schemas/kubernetes.ts';

/** What the controller does to the cluster. Each write is refused by `LeadershipLost` once another may be leading. */
export interface Cluster {
  /** Live, not from any cache. */
  read(name: string): Promise<Node | undefined>;
  /** Both give the Node as it is after the write; `conflict`: it is not the one that the patch was made for. */
  patch(name: string, patch: object): Promise<Node | 'conflict'>;
  patchStatus(name: string, patch: object): Promise<Node | 'conflict'>;
  setCondition(node: Node, condition: NodeCondition): Promise<void>;
  /** Only if it is still this very Node, not Ready and ours. */
  remove(node: Node): Promise<'removed' | 'not-this-one'>;
  tell(node: Node, event: NodeEvent): Promise<void>;
}

export interface NodeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

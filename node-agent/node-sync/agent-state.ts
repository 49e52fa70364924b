import type { Instance } from '../../lib/node/instance.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { NodeCloud } from '../detect.ts';
import type { SyncResult } from './sync-node.ts';

/** What the agent knows. Times are of the monotonic clock. */
export interface AgentState {
  /** As the watch, or our own last write, showed it. */
  node: Node | undefined;
  cloud: NodeCloud | undefined;
  instance: Instance | undefined;
  /** When the metadata was last read as a whole. */
  readAtMs: number | undefined;
  lastResult: SyncResult | undefined;
  /** Failed turns in a row. */
  failures: number;
  /** When the loop last came round. */
  lastLoopAtMs: number;
}

export function newAgentState(nowMs: number): AgentState {
  return {
    node: undefined,
    cloud: undefined,
    instance: undefined,
    readAtMs: undefined,
    lastResult: undefined,
    failures: 0,
    lastLoopAtMs: nowMs,
  };
}

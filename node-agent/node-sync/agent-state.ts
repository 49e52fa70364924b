import type { Instance } from '../../clouds/index.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { NodeCloud } from '../detect.ts';
import type { SyncResult } from './sync-node.ts';

/** What the agent knows. Times are of the monotonic clock. */
export interface AgentState {
  /** The latest version that is known, from the watch or from our own last write. */
  node: Node | undefined;
  cloud: NodeCloud | undefined;
  instance: Instance | undefined;
  /** When the metadata was last read as a whole. */
  readAtMs: number | undefined;
  lastResult: SyncResult | undefined;
  /** Failed syncs in a row. */
  failures: number;
  /** When the loop last ran. */
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

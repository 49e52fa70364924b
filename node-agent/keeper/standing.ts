import type { Instance } from '../../lib/node/instance.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { OwnCloud } from '../detect.ts';
import type { Turn } from './turn.ts';

/** What the agent knows. Times are of the monotonic clock. */
export interface Standing {
  /** As the watch, or our own last write, showed it. */
  node: Node | undefined;
  cloud: OwnCloud | undefined;
  instance: Instance | undefined;
  /** When the metadata was last read as a whole. */
  readAtMs: number | undefined;
  turn: Turn | undefined;
  /** Failed turns in a row. */
  failures: number;
  /** When the loop last came round. */
  beatAtMs: number;
}

export function newStanding(nowMs: number): Standing {
  return {
    node: undefined,
    cloud: undefined,
    instance: undefined,
    readAtMs: undefined,
    turn: undefined,
    failures: 0,
    beatAtMs: nowMs,
  };
}

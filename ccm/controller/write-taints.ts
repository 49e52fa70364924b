import type { Node } from '../../schemas/kubernetes.ts';
import { isStill } from '../../lib/node/still.ts';
import { stateOf } from '../lifecycle/observation.ts';
import type { Look } from '../lifecycle/observation.ts';
import { taintChange } from '../lifecycle/taints.ts';
import type { TaintChange } from '../lifecycle/taints.ts';
import { taintsPatch } from '../node/taints-patch.ts';
import type { Dependencies } from './dependencies.ts';
import { logTaints, planPatch } from './node-log.ts';
import { keepNewer } from './tracked.ts';
import type { Tracked } from './tracked.ts';

/** What the taints were decided on. */
export interface DecidedOn {
  readonly node: Node;
  /** Absent: only the Node was seen. */
  readonly look?: Look;
  readonly reason: string;
}

/** Whoever else writes at the same moment is done by then. */
const attempts = 5;

/** Adds or removes taints. After a conflict it decides again, for the Node as it is now. */
export async function writeTaints(
  tracked: Tracked,
  { node, look, reason }: DecidedOn,
  decided: TaintChange,
  { cluster, clock, measures, settings, log }: Dependencies,
): Promise<void> {
  let [current, change] = [node, decided];
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const patch = taintsPatch(current, change);
    const written = await cluster.patch(current, patch);
    if (written === 'not-written') {
      planPatch(tracked, patch, log);
      return;
    }
    measures.wrote('taint', 1);
    if (written !== 'conflict') {
      if (change.remove.length > 0) tracked.taintsRemovedAtMs = clock.monotonicMs();
      logTaints(tracked, change, reason, log);
      keepNewer(tracked, written);
      return;
    }
    const live = await cluster.read(node.metadata.name);
    if (live === undefined || !isStill(node, live)) return;
    const seen = { ...stateOf(live, 'ours', clock.wallMs()), ...(look && { look }) };
    const again = taintChange(seen, settings.lifecycle);
    if (again === undefined) return;
    [current, change] = [live, again];
  }
  throw new Error(`something else changed the Node during each of ${attempts} attempts to write its taints`);
}

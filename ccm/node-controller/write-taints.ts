import type { Node } from '../../schemas/kubernetes.ts';
import { isSameNode } from '../../lib/node/same-node.ts';
import { stateOf } from '../lifecycle/observation.ts';
import type { ObservedLookup } from '../lifecycle/observation.ts';
import { taintChange } from '../lifecycle/taints.ts';
import type { TaintChange } from '../lifecycle/taints.ts';
import { taintsPatch } from './taints-patch.ts';
import type { ControllerDependencies } from './dependencies.ts';
import { logTaints, logPlannedTaints } from './node-log.ts';
import { keepNewerNode } from './tracked-node.ts';
import type { TrackedNode } from './tracked-node.ts';

/** What the decision about taints was made from. */
export interface DecisionBasis {
  readonly node: Node;
  /** Absent if the Node was not looked up. */
  readonly lookup?: ObservedLookup;
  readonly reason: string;
}

/** Other writers have finished by then. */
const attempts = 5;

/** Adds or removes taints. After a conflict it decides again for the present Node. */
export async function writeTaints(
  tracked: TrackedNode,
  { node, lookup, reason }: DecisionBasis,
  decided: TaintChange,
  { cluster, clock, metrics, settings, log }: ControllerDependencies,
): Promise<void> {
  let [current, change] = [node, decided];
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const patch = taintsPatch(current, change);
    const written = await cluster.patch(current, patch);
    if (written === 'not-written') {
      logPlannedTaints(tracked, patch, log);
      return;
    }
    metrics.countWrites('taint', 1);
    if (written !== 'conflict') {
      if (change.remove.length > 0) tracked.taintsRemovedAtMs = clock.monotonicMs();
      logTaints(tracked, change, reason, log);
      keepNewerNode(tracked, written);
      return;
    }
    const live = await cluster.read(node.metadata.name);
    if (live === undefined || !isSameNode(node, live)) return;
    const observation = { ...stateOf(live, 'ours', clock.wallMs()), ...(lookup && { lookup }) };
    const nextChange = taintChange(observation, settings.lifecycle);
    if (nextChange === undefined) return;
    [current, change] = [live, nextChange];
  }
  throw new Error(`something else changed the Node during each of ${attempts} attempts to write its taints`);
}

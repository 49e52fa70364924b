import type { LifecycleTaint, Observation } from './observation.ts';
import { isFound } from './result-kinds.ts';
import type { LifecycleSettings } from './settings.ts';

export interface TaintChange {
  readonly add: readonly LifecycleTaint[];
  readonly remove: readonly LifecycleTaint[];
}

/**
 * Adds the taints if the instance is stopped and the Node is not Ready, and removes them if the instance runs or the Node
 * is Ready. An unknown result changes nothing.
 */
export function taintChange(observation: Observation, settings: LifecycleSettings): TaintChange | undefined {
  const ours: readonly LifecycleTaint[] = settings.outOfServiceTaint ? ['shutdown', 'out-of-service'] : ['shutdown'];
  const shutDown = isShutDown(observation);
  if (shutDown === undefined) return undefined;
  const add = shutDown ? ours.filter((taint) => !observation.taints.has(taint)) : [];
  const remove = shutDown ? [] : ours.filter((taint) => observation.taints.has(taint));
  return add.length + remove.length === 0 ? undefined : { add, remove };
}

function isShutDown({ ready, lookup }: Observation): boolean | undefined {
  if (ready) return false;
  return isFound(lookup?.result) ? lookup.result.status === 'stopped' : undefined;
}

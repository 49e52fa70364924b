import { createObserve } from '../../../ccm/lifecycle/observe.ts';
import { lifecyclePolicy } from '../../../ccm/lifecycle/policy.ts';
import type { LifecyclePolicy } from '../../../ccm/lifecycle/policy.ts';
import { observeScope } from '../../../ccm/lifecycle/scope.ts';
import type { Alphabet } from './alphabets.ts';
import { clearMemory } from './model.ts';
import type { Implementation } from './model.ts';

/** The function as it is, with the numbers of the alphabet. */
export function implementationFor({ promised }: Alphabet): Implementation {
  return { observe: createObserve(lifecyclePolicy), observeScope, settings: promised, restart: clearMemory };
}

/** The product's policy without the rules and resets of these names. */
export function policyWithout(...names: readonly string[]): LifecyclePolicy {
  const isKept = ({ name }: { readonly name: string }): boolean => !names.includes(name);
  return {
    ...lifecyclePolicy,
    resets: lifecyclePolicy.resets.filter(isKept),
    sightingRules: lifecyclePolicy.sightingRules.filter(isKept),
    deletionRules: lifecyclePolicy.deletionRules.filter(isKept),
  };
}

import { createObserve } from '../../../ccm/lifecycle/observe.ts';
import { policy } from '../../../ccm/lifecycle/policy.ts';
import type { Policy } from '../../../ccm/lifecycle/policy.ts';
import { observeScope } from '../../../ccm/lifecycle/scope.ts';
import type { Alphabet } from './alphabets.ts';
import { forget } from './world.ts';
import type { Subject } from './world.ts';

/** The function as it is, with the numbers of the alphabet. */
export function subjectFor({ promise }: Alphabet): Subject {
  return { observe: createObserve(policy), observeScope, settings: promise, restart: forget };
}

/** The product's policy without the rules and resets of these names. */
export function policyWithout(...names: readonly string[]): Policy {
  const remains = ({ name }: { readonly name: string }): boolean => !names.includes(name);
  return {
    ...policy,
    resets: policy.resets.filter(remains),
    sightingRules: policy.sightingRules.filter(remains),
    deletionRules: policy.deletionRules.filter(remains),
  };
}

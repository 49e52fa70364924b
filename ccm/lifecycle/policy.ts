import type { Observation } from './observation.ts';
import { resets } from './resets.ts';
import type { Reset } from './resets.ts';
import { deletionRules, sightingRules } from './rules.ts';
import type { LifecycleRule } from './rules.ts';

/** Everything that a deletion depends on, in tables. A test removes each entry and checks that the exploration notices. */
export interface LifecyclePolicy {
  isOurs(observation: Observation): boolean;
  readonly resets: readonly Reset[];
  readonly sightingRules: readonly LifecycleRule[];
  readonly deletionRules: readonly LifecycleRule[];
}

export const lifecyclePolicy: LifecyclePolicy = {
  isOurs: ({ ownership }) => ownership === 'ours',
  resets,
  sightingRules,
  deletionRules,
};

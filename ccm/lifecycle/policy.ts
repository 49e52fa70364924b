import type { Observation } from './observation.ts';
import { resets } from './resets.ts';
import type { Reset } from './resets.ts';
import { deletionRules, sightingRules } from './rules.ts';
import type { LifecycleRule } from './rules.ts';

/** All that a deletion depends on, in tables: a test takes one out and has to see it missed. */
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

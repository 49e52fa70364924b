import type { Observation } from './observation.ts';
import { resets } from './resets.ts';
import type { Reset } from './resets.ts';
import { deletionRules, sightingRules } from './rules.ts';
import type { Rule } from './rules.ts';

/** All that a deletion depends on, in tables: a test takes one out and has to see it missed. */
export interface Policy {
  isOurs(observation: Observation): boolean;
  readonly resets: readonly Reset[];
  readonly sightingRules: readonly Rule[];
  readonly deletionRules: readonly Rule[];
}

export const policy: Policy = {
  isOurs: ({ ownership }) => ownership === 'ours',
  resets,
  sightingRules,
  deletionRules,
};

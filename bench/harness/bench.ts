import type { Gate } from './gate.ts';
import type { Rounds } from './measure.ts';
import type { Variant } from './variant.ts';

export interface Bench {
  readonly rounds: Rounds;
  /** The variant that the table divides by. */
  readonly baseline: string;
  readonly gates: readonly Gate[];
  prepare(): Promise<PreparedBench>;
}

export interface PreparedBench {
  readonly variants: readonly Variant[];
  /** Takes down what was set up for them. */
  stop(): Promise<void>;
}

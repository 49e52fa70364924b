import type { GateResult } from './gate.ts';

/** What `npm run bench` knows of a bench. */
export interface RunnableBench {
  /** The names of its own options, each with a value. */
  readonly options: readonly string[];
  run(options: BenchOptions, say: (line: string) => void): Promise<BenchOutcome>;
}

export type BenchOptions = Readonly<Record<string, string | undefined>>;

export interface BenchOutcome {
  /** For people, without the gates. */
  readonly table: string;
  readonly gateResults: readonly GateResult[];
  /** All that was measured. */
  readonly json: Readonly<Record<string, unknown>>;
}

import type { Verdict } from './gate.ts';

/** What `npm run bench` knows of a bench. */
export interface RunnableBench {
  /** The names of its own options, each with a value. */
  readonly options: readonly string[];
  run(options: BenchOptions, say: (line: string) => void): Promise<Outcome>;
}

export type BenchOptions = Readonly<Record<string, string | undefined>>;

export interface Outcome {
  /** For people, without the gates. */
  readonly table: string;
  readonly verdicts: readonly Verdict[];
  /** All that was measured. */
  readonly json: Readonly<Record<string, unknown>>;
}

import { runCommand } from '../network/run-command.ts';
import { findPromql } from './find-promql.ts';

/** The page of a program, as Prometheus would have read it at this time. */
export interface Scrape {
  readonly atSeconds: number;
  /** That Prometheus adds: job, instance and so on. */
  readonly labels: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Evaluation {
  readonly scrapes: readonly Scrape[];
  readonly queries: readonly { readonly expression: string; readonly atSeconds: number }[];
  /** The text of a file of rules. */
  readonly rules: string;
}

export interface EvaluationResult {
  /** Of the file of rules. */
  readonly problems: readonly string[];
  /** One for each query, in order. */
  readonly results: readonly QueryResult[];
}

export interface QueryResult {
  readonly error?: string;
  readonly series: readonly { readonly labels: Readonly<Record<string, string>>; readonly values: readonly string[] }[];
}

/** Stores the scrapes as Prometheus does, and evaluates the queries with its engine. */
export async function evaluate({ scrapes, queries, rules }: Evaluation): Promise<EvaluationResult> {
  const found = await findPromql();
  if (!found.available) throw new Error(found.reason);
  const input = JSON.stringify({
    scrapes,
    rules,
    queries: queries.map(({ expression, atSeconds }) => ({
      expression,
      fromSeconds: atSeconds,
      untilSeconds: atSeconds,
      stepSeconds: 1,
    })),
  });
  const { code, stdout, stderr } = await runCommand(found.programs.promql, [], { env: {}, input, timeoutMs: 60_000 });
  if (code !== 0) throw new Error(`promql: ${stderr}`);
  return JSON.parse(stdout) as EvaluationResult;
}

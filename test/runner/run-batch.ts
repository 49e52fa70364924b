import { formatFile } from './report.ts';
import type { FileTime } from './report.ts';
import { runTap } from './run-tap.ts';
import type { SecretFilter } from './secret-filter.ts';
import { sumTallies, tallyFile, unfinishedFile } from './tally.ts';
import type { Failure, Tally } from './tally.ts';
import { createTapReader } from './tap-tree.ts';
import type { TestPoint } from './tap-tree.ts';
import type { TestBatch } from './tiers.ts';

export interface BatchResult {
  readonly tally: Tally;
  readonly times: readonly FileTime[];
}

/** Runs the files of a batch, and prints a line for each when it has ended. */
export async function runBatch(
  { name, files, rounds, jobs, env: batchEnv, suffix }: TestBatch,
  filter: SecretFilter,
  print: (line: string) => void,
): Promise<BatchResult> {
  const startedAtMs = performance.now();
  const tallies: Tally[] = [];
  const times: FileTime[] = [];
  const reader = createTapReader();
  const unfinished = new Set<string>();
  let file = 'the test runner';
  function onOutput(line: string): void {
    const started = /^# Subtest: (.*)/.exec(line)?.[1];
    if (started !== undefined) unfinished.add((file = started));
    finish(reader.read(filter.redact(line, file)));
  }
  function finish(point: TestPoint | undefined): void {
    if (point === undefined) return;
    unfinished.delete(point.name);
    const named = { ...point, name: `${point.name}${suffix}` };
    const tally = tallyFile(named);
    tallies.push(tally);
    times.push({ name: named.name, durationMs: named.durationMs ?? 0 });
    print(formatFile(named.name, tally, performance.now() - startedAtMs));
  }
  const onError = (line: string): void => void process.stderr.write(`${filter.redact(line, 'standard error')}\n`);
  const POLYCLOUD_TEST_ROUNDS = process.env['POLYCLOUD_TEST_ROUNDS'] ?? String(rounds);
  const env = { ...process.env, ...batchEnv, POLYCLOUD_TEST_ROUNDS };
  const exitCode = await runTap({ files, jobs, env, onOutput, onError });
  finish(reader.end());
  for (const each of unfinished) tallies.push(unfinishedFile(each));
  const tally = sumTallies(tallies);
  return {
    tally: sumTallies([tally, { passed: 0, failures: unexplainedFailures(name, tally, exitCode), skips: [] }]),
    times,
  };
}

/** Failures that no test reported. */
function unexplainedFailures(name: string, tally: Tally, exitCode: number | null): readonly Failure[] {
  if (tally.passed + tally.failures.length + tally.skips.length === 0) {
    return [{ names: [name], reason: 'no test ran' }];
  }
  if (exitCode === 0 || tally.failures.length > 0) return [];
  return [{ names: [name, 'tap'], reason: `ended with exit code ${exitCode}, yet no test says why` }];
}

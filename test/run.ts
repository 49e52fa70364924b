import { parseArgs } from 'node:util';
import { prepareFor } from './runner/preparations.ts';
import { formatFailure, formatFile, formatSkips } from './runner/report.ts';
import { runTap } from './runner/run-tap.ts';
import { createSecretWatch } from './runner/secret-watch.ts';
import type { SecretWatch } from './runner/secret-watch.ts';
import { addUp, tallyFile, unfinishedFile } from './runner/tally.ts';
import type { Failure, Tally } from './runner/tally.ts';
import { createTapReader } from './runner/tap-tree.ts';
import type { TestPoint } from './runner/tap-tree.ts';

/**
 * `npm test [-- [--no-install] FILES…]`. `POLYCLOUD_TEST_ROUNDS` says how hard random tests try: 1 for people, more
 * in .ci/run. With `CI=true` a skip is a failure. The last line is always `N passed, N failed`.
 */
await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { 'no-install': { type: 'boolean' } }, allowPositionals: true });
  process.env['POLYCLOUD_TEST_ROUNDS'] ??= '1';
  if (values['no-install'] === true) process.env['POLYCLOUD_NO_INSTALL'] = '1';
  const preparing = await prepareFor(positionals, print).then(() => [], asFailures);
  const watch = createSecretWatch();
  const { tally, exitCode } = await runFiles(positionals, watch);
  const failures = [...preparing, ...tally.failures, ...othersFailures(tally, exitCode, watch)];
  for (const failure of failures) print(formatFailure(failure));
  if (tally.skips.length > 0) print(`\n${formatSkips(tally.skips)}`);
  print(`${tally.passed} passed, ${failures.length} failed`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

async function runFiles(
  files: readonly string[],
  watch: SecretWatch,
): Promise<{ tally: Tally; exitCode: number | null }> {
  const startedAtMs = performance.now();
  const tallies: Tally[] = [];
  const reader = createTapReader();
  const unfinished = new Set<string>();
  let file = 'the test runner';
  function onOutput(line: string): void {
    const started = /^# Subtest: (.*)/.exec(line)?.[1];
    if (started !== undefined) unfinished.add((file = started));
    finish(reader.read(watch.pass(line, file)));
  }
  function finish(point: TestPoint | undefined): void {
    if (point === undefined) return;
    unfinished.delete(point.name);
    const tally = tallyFile(point);
    tallies.push(tally);
    print(formatFile(point.name, tally, performance.now() - startedAtMs));
  }
  const onError = (line: string): void => void process.stderr.write(`${watch.pass(line, 'standard error')}\n`);
  const exitCode = await runTap({ files, onOutput, onError });
  finish(reader.end());
  for (const name of unfinished) tallies.push(unfinishedFile(name));
  return { tally: addUp(tallies), exitCode };
}

/** The tests run all the same: most need nothing, and those that do say what is missing. */
function asFailures(error: unknown): readonly Failure[] {
  return [{ names: ['preparation'], reason: error instanceof Error ? error.message : String(error) }];
}

/** Failures that no test reported. */
function othersFailures(tally: Tally, exitCode: number | null, watch: SecretWatch): readonly Failure[] {
  const nothingRan = tally.passed + tally.failures.length === 0;
  const secrets = [...watch.origins].map((origin) => ({ names: [origin], reason: 'a secret of the lab was printed' }));
  const skips = process.env['CI'] === 'true' ? tally.skips.map(asFailure) : [];
  return [
    ...(nothingRan ? [{ names: ['npm test'], reason: 'no test ran' }] : []),
    ...(!nothingRan && exitCode !== 0 && tally.failures.length === 0
      ? [{ names: ['tap'], reason: `ended with exit code ${exitCode}, yet no test says why` }]
      : []),
    ...secrets,
    ...skips,
  ];
}

function asFailure({ names, reason }: { names: readonly string[]; reason: string }): Failure {
  return { names, reason: `skipped, which is a failure in CI: ${reason}` };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

import { parseArgs } from 'node:util';
import { lenderVariable, startLender } from './lab/control-plane/lending/lend.ts';
import { createPreparer } from './runner/preparations.ts';
import { formatFailure, formatSkips, formatTimes } from './runner/report.ts';
import { runBatch } from './runner/run-batch.ts';
import type { BatchResult } from './runner/run-batch.ts';
import { createSecretWatch } from './runner/secret-watch.ts';
import type { SecretWatch } from './runner/secret-watch.ts';
import { addUp } from './runner/tally.ts';
import type { Failure, Tally } from './runner/tally.ts';
import { batchesOfTiers, batchOfPaths } from './runner/tiers.ts';
import type { Batch } from './runner/tiers.ts';

/**
 * `npm test [-- [--tier unit,smoke,system,long] [--no-install] FILES…]`: the named files and folders, or else the tiers;
 * unit and smoke if none is named. `--also-failed NAME` counts what failed before. `POLYCLOUD_TEST_ROUNDS` says how hard
 * random tests try. With `CI=true` a skip is a failure. The last line is always `N passed, N failed`.
 */
await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      tier: { type: 'string', default: 'unit,smoke' },
      'no-install': { type: 'boolean' },
      'also-failed': { type: 'string', multiple: true, default: [] },
    },
    allowPositionals: true,
  });
  if (values['no-install'] === true) process.env['POLYCLOUD_NO_INSTALL'] = '1';
  const isCi = process.env['CI'] === 'true';
  const batches = positionals.length > 0 ? [batchOfPaths(positionals)] : batchesOfTiers(values.tier.split(','), isCi);
  const startedAtMs = performance.now();
  const watch = createSecretWatch();
  const lender = await startLender(print);
  process.env[lenderVariable] = lender.socketPath;
  const results: BatchResult[] = [];
  const prepare = createPreparer(
    batches.flatMap(({ files }) => files),
    print,
  );
  for (const batch of batches) results.push(await prepareAndRun(batch, prepare, watch));
  await lender.stop();
  const tally = addUp(results.map((result) => result.tally));
  const before = values['also-failed'].map((name) => ({ names: [name], reason: 'failed before the tests' }));
  const failures = [...before, ...tally.failures, ...secretsShown(watch), ...(isCi ? tally.skips.map(asFailure) : [])];
  for (const failure of failures) print(formatFailure(failure));
  if (tally.skips.length > 0) print(`\n${formatSkips(tally.skips)}`);
  const times = results.flatMap((result) => result.times);
  print(`\n${formatTimes(times, performance.now() - startedAtMs)}`);
  print(`${tally.passed} passed, ${failures.length} failed`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

/** The tests run all the same if a preparation fails: most need nothing, and those that do say what is missing. */
async function prepareAndRun(
  batch: Batch,
  prepare: ReturnType<typeof createPreparer>,
  watch: SecretWatch,
): Promise<BatchResult> {
  const prepared = await prepare(batch.files).then(() => addUp([]), asFailed);
  const result = await runBatch(batch, watch, print);
  return { ...result, tally: addUp([prepared, result.tally]) };
}

function asFailed(error: unknown): Tally {
  const reason = error instanceof Error ? error.message : String(error);
  return { ...addUp([]), failures: [{ names: ['preparation'], reason }] };
}

function secretsShown(watch: SecretWatch): readonly Failure[] {
  return [...watch.origins].map((origin) => ({ names: [origin], reason: 'a secret of the lab was printed' }));
}

function asFailure({ names, reason }: { names: readonly string[]; reason: string }): Failure {
  return { names, reason: `skipped, which is a failure in CI: ${reason}` };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

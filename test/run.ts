import { parseArgs } from 'node:util';
import { poolSocketVariable, startPoolServer } from './lab/control-plane/pool/pool-server.ts';
import { createPreparer } from './runner/preparations.ts';
import { formatFailure, formatSkips, formatTimes } from './runner/report.ts';
import { runBatch } from './runner/run-batch.ts';
import type { BatchResult } from './runner/run-batch.ts';
import { createSecretFilter } from './runner/secret-filter.ts';
import type { SecretFilter } from './runner/secret-filter.ts';
import { sumTallies } from './runner/tally.ts';
import type { Failure, Tally } from './runner/tally.ts';
import { batchesOfTiers, batchOfPaths } from './runner/tiers.ts';
import type { TestBatch } from './runner/tiers.ts';

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
  const filter = createSecretFilter();
  const lender = await startPoolServer(print);
  process.env[poolSocketVariable] = lender.socketPath;
  const results: BatchResult[] = [];
  const prepare = createPreparer(
    batches.flatMap(({ files }) => files),
    print,
  );
  for (const batch of batches) results.push(await prepareAndRun(batch, prepare, filter));
  await lender.stop();
  const tally = sumTallies(results.map((result) => result.tally));
  const before = values['also-failed'].map((name) => ({ names: [name], reason: 'failed before the tests' }));
  const failures = [
    ...before,
    ...tally.failures,
    ...leakedSecrets(filter),
    ...(isCi ? tally.skips.map(asFailure) : []),
  ];
  for (const failure of failures) print(formatFailure(failure));
  if (tally.skips.length > 0) print(`\n${formatSkips(tally.skips)}`);
  const times = results.flatMap((result) => result.times);
  print(`\n${formatTimes(times, performance.now() - startedAtMs)}`);
  print(`${tally.passed} passed, ${failures.length} failed`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

/** The tests run all the same if a preparation fails: most need nothing, and those that do say what is missing. */
async function prepareAndRun(
  batch: TestBatch,
  prepare: ReturnType<typeof createPreparer>,
  filter: SecretFilter,
): Promise<BatchResult> {
  const prepared = await prepare(batch.files).then(() => sumTallies([]), failedPreparation);
  const result = await runBatch(batch, filter, print);
  return { ...result, tally: sumTallies([prepared, result.tally]) };
}

function failedPreparation(error: unknown): Tally {
  const reason = error instanceof Error ? error.message : String(error);
  return { ...sumTallies([]), failures: [{ names: ['preparation'], reason }] };
}

function leakedSecrets(filter: SecretFilter): readonly Failure[] {
  return [...filter.origins].map((origin) => ({ names: [origin], reason: 'a secret of the lab was printed' }));
}

function asFailure({ names, reason }: { names: readonly string[]; reason: string }): Failure {
  return { names, reason: `skipped, which is a failure in CI: ${reason}` };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

import { readScriptOptions } from '../build/script-options.ts';
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

const text = `Runs tests: npm test -- [FILE…] [OPTION…]. The last line is always \`N passed, N failed\`.

  FILE…               test files or folders; without them the tiers
  --tier NAMES        of unit, smoke, system and long, separated by commas (default unit,smoke)
  --no-install        install no Debian packages; what needs them is skipped
  --also-failed NAME  count this as a failure from before the tests

POLYCLOUD_TEST_ROUNDS sets how hard random tests try. With CI=true a skip is a failure.

`;

await main();

async function main(): Promise<void> {
  const { values, positionals } = readScriptOptions(
    { command: 'npm test', text },
    {
      options: {
        tier: { type: 'string', default: 'unit,smoke' },
        'no-install': { type: 'boolean' },
        'also-failed': { type: 'string', multiple: true, default: [] },
      },
      allowPositionals: true,
    },
  );
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

import { clouds } from '../../../clouds/index.ts';
import { run } from '../../../credential-provider/run.ts';
import type { CaseRunner } from './cases.ts';
import { prepareCase } from './cases.ts';
import type { CaseResults } from './results.ts';
import { createResults, reproduce } from './results.ts';
import type { CaseFixture } from './fixture.ts';
import { openCaseFixture } from './fixture.ts';
import { runFunctionCase } from './run-function.ts';
import { runExecutableCase } from './run-executable.ts';
import { startWatchdog } from './watchdog.ts';
import type { Watchdog } from './watchdog.ts';

export interface CaseSelection {
  readonly seed: string;
  readonly caseNumbers: readonly number[];
  /** Each so many-th case is played by the executable as well. */
  readonly programEvery: number;
}

/** Later than the program's own end of all waiting. */
const boundMs = 55_000;
const graceMs = 10_000;
const mostProblems = 20;

/** Runs functions one after the other, and at the same time the executables in two lanes, since they mostly wait. */
export async function runCases(selection: CaseSelection): Promise<CaseResults> {
  const watchdog = startWatchdog(reproduce(selection.seed, ''), boundMs + graceMs);
  const results = createResults(selection.seed);
  const context = { selection, results, watchdog };
  const programs = selection.caseNumbers.filter((caseNumber) => isForBoth(caseNumber, selection));
  const work = [0, 1].map((lane) => programs.filter((_caseNumber, index) => index % 2 === lane));
  try {
    await Promise.all([
      runAll(selection.caseNumbers, 'function', context),
      ...work.map((caseNumbers) => runAll(caseNumbers, 'program', context)),
    ]);
    return results;
  } finally {
    await watchdog.end();
  }
}

interface RunContext {
  readonly selection: CaseSelection;
  readonly results: CaseResults;
  readonly watchdog: Watchdog;
}

/** One at a time, so that what goes wrong belongs to one case. */
async function runAll(caseNumbers: readonly number[], runner: CaseRunner, context: RunContext): Promise<void> {
  const fixture = await openCaseFixture();
  try {
    for (const caseNumber of caseNumbers) {
      if (context.results.problems.length >= mostProblems) return;
      await runCase(caseNumber, runner, { ...context, fixture });
    }
  } finally {
    await fixture.close();
  }
}

interface CaseContext extends RunContext {
  readonly fixture: CaseFixture;
}

async function runCase(
  caseNumber: number,
  runner: CaseRunner,
  { selection, results, watchdog, fixture }: CaseContext,
): Promise<void> {
  const label = `${selection.seed} ${caseNumber}`;
  const generated = await prepareCase(label, isForBoth(caseNumber, selection) ? 'program' : 'function', fixture);
  if (runner === 'function') watchdog.begin(caseNumber);
  const subject = { run, clouds, boundMs };
  const outcome = await (runner === 'function'
    ? runFunctionCase(generated, fixture, subject)
    : runExecutableCase(generated, fixture));
  results.record({ caseNumber, runner, generated, outcome });
}

function isForBoth(caseNumber: number, { programEvery }: CaseSelection): boolean {
  return caseNumber % programEvery === 0;
}

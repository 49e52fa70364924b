import { clouds } from '../../../clouds/index.ts';
import { run } from '../../../credential-provider/run.ts';
import type { Player } from './cases.ts';
import { prepareCase } from './cases.ts';
import type { Ledger } from './ledger.ts';
import { createLedger, reproduce } from './ledger.ts';
import type { Place } from './place.ts';
import { openPlace } from './place.ts';
import { playFunction } from './play-function.ts';
import { playProgram } from './play-program.ts';
import { startWatchdog } from './watchdog.ts';
import type { Watchdog } from './watchdog.ts';

export interface Tour {
  readonly seed: string;
  readonly caseNumbers: readonly number[];
  /** Each so many-th case is played by the executable as well. */
  readonly programEvery: number;
}

/** Later than the program's own end of all waiting. */
const boundMs = 55_000;
const graceMs = 10_000;
const mostProblems = 20;

/** Functions one after the other, and beside them the executables in two lanes, since they mostly wait. */
export async function makeTour(tour: Tour): Promise<Ledger> {
  const watchdog = startWatchdog(reproduce(tour.seed, ''), boundMs + graceMs);
  const ledger = createLedger(tour.seed);
  const company = { tour, ledger, watchdog };
  const programs = tour.caseNumbers.filter((caseNumber) => isForBoth(caseNumber, tour));
  const work = [0, 1].map((lane) => programs.filter((_caseNumber, index) => index % 2 === lane));
  try {
    await Promise.all([
      visitAll(tour.caseNumbers, 'function', company),
      ...work.map((caseNumbers) => visitAll(caseNumbers, 'program', company)),
    ]);
    return ledger;
  } finally {
    await watchdog.end();
  }
}

interface Company {
  readonly tour: Tour;
  readonly ledger: Ledger;
  readonly watchdog: Watchdog;
}

/** One at a time, so that what goes wrong belongs to one case. */
async function visitAll(caseNumbers: readonly number[], player: Player, company: Company): Promise<void> {
  const place = await openPlace();
  try {
    for (const caseNumber of caseNumbers) {
      if (company.ledger.problems.length >= mostProblems) return;
      await visit(caseNumber, player, { ...company, place });
    }
  } finally {
    await place.close();
  }
}

interface Visit extends Company {
  readonly place: Place;
}

async function visit(caseNumber: number, player: Player, { tour, ledger, watchdog, place }: Visit): Promise<void> {
  const label = `${tour.seed} ${caseNumber}`;
  const generated = await prepareCase(label, isForBoth(caseNumber, tour) ? 'program' : 'function', place);
  if (player === 'function') watchdog.begin(caseNumber);
  const subject = { run, clouds, boundMs };
  const outcome = await (player === 'function'
    ? playFunction(generated, place, subject)
    : playProgram(generated, place));
  ledger.note({ caseNumber, player, generated, outcome });
}

function isForBoth(caseNumber: number, { programEvery }: Tour): boolean {
  return caseNumber % programEvery === 0;
}

import type { GeneratedCase, Player } from './cases.ts';
import { problemsOf } from './checks.ts';
import { sent } from './known.ts';
import type { Outcome } from './outcome.ts';
import { veil } from './veil.ts';

export interface Played {
  readonly caseNumber: number;
  readonly player: Player;
  readonly generated: GeneratedCase;
  readonly outcome: Outcome;
}

/** What happened, for people: how often each kind of end, and every problem with the way to see it again. */
export interface Ledger {
  note(played: Played): void;
  readonly ends: ReadonlyMap<string, number>;
  readonly problems: readonly string[];
  slowest(): Played | undefined;
}

export function createLedger(seed: string): Ledger {
  const ends = new Map<string, number>();
  const problems: string[] = [];
  const exitCodes = new Map<number, number | null>();
  let slowest: Played | undefined;
  return {
    ends,
    problems,
    slowest: () => slowest,
    note: (played) => {
      const { caseNumber, outcome, generated } = played;
      if (slowest === undefined || outcome.durationMs > slowest.outcome.durationMs) slowest = played;
      const end = endOf(played);
      ends.set(end, (ends.get(end) ?? 0) + 1);
      const other = exitCodes.get(caseNumber) ?? outcome.exitCode;
      exitCodes.set(caseNumber, outcome.exitCode);
      const differs = other === outcome.exitCode ? [] : ['function and executable end differently'];
      const found = [...problemsOf(outcome, generated), ...differs];
      if (found.length > 0) problems.push(describe(played, `${reproduce(seed, caseNumber)}: ${found.join('; ')}`));
    },
  };
}

export function reproduce(seed: string, caseNumber: number | string): string {
  return `POLYCLOUD_TEST_SEED=${seed} POLYCLOUD_TEST_CASE=${caseNumber}`;
}

function endOf({ player, outcome }: Played): string {
  const { exitCode, stdout } = outcome;
  const success = stdout.includes('"auth":{}') ? 'empty answer' : 'login';
  const failure = exitCode === 1 ? 'failure' : 'neither';
  return `${player}: ${exitCode === 0 ? success : failure}`;
}

const longestTextCharacters = 700;

function describe({ player, outcome, generated }: Played, headline: string): string {
  const { request } = generated;
  const asked = outcome.asked.map(({ service, method, path }) => `${service} ${method} ${path}`);
  const text = [
    headline,
    `  ${player}, image ${JSON.stringify(sent(request.bytes)['image'] ?? request.image)}`,
    `  exit code ${outcome.exitCode} after ${Math.round(outcome.durationMs)} ms`,
    `  ${asked.length} requests: ${asked.join(', ')}`,
    `  standard error ${JSON.stringify(outcome.stderr)}`,
  ];
  return text.map((line) => veil(line).slice(0, longestTextCharacters)).join('\n');
}

import { parseConfigFile } from '../../../lib/config/parse-config.ts';
import { CredentialProviderRequest } from '../../../schemas/credential-provider.ts';
import type { GeneratedCase, Player } from './cases.ts';
import { problemsOf } from './checks.ts';
import { cloudOf, sent } from './known.ts';
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
      for (const end of endsOf(played)) ends.set(end, (ends.get(end) ?? 0) + 1);
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

/** By player and end; for logins also by cloud, and by whether it was the pod's or the node's. */
function endsOf({ player, outcome, generated }: Played): readonly string[] {
  const { exitCode, stdout } = outcome;
  const success = stdout.includes('"auth":{}') ? 'empty answer' : 'login';
  const failure = exitCode === 1 ? 'failure' : 'neither';
  const end = `${player}: ${exitCode === 0 ? success : failure}`;
  const who = sent(generated.request.bytes)['serviceAccountToken'] === undefined ? 'node' : 'pod';
  const cloud = cloudOf(generated);
  const isProven = outcome.asked.some(({ service }) => ['sts', 'entra', 'google-sts'].includes(service));
  return [
    end,
    ...(passesSchemas(generated) ? [`${player}: past the schemas`] : []),
    ...(cloud === undefined || end !== `${player}: login`
      ? []
      : [`${end} of ${cloud} as ${who}${who === 'node' && isProven ? ' by a proof' : ''}`]),
  ];
}

/** What is refused at the door tests nothing behind it. */
function passesSchemas({ request, files, configFile }: GeneratedCase): boolean {
  if (!CredentialProviderRequest.safeParse(sent(request.bytes)).success) return false;
  try {
    if (configFile !== undefined) parseConfigFile(files['config.yaml'] ?? '', configFile);
    return true;
  } catch {
    return false;
  }
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

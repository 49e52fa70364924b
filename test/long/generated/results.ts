import { parseConfigFile } from '../../../lib/config/parse-config.ts';
import { CredentialProviderRequest } from '../../../schemas/credential-provider.ts';
import type { CaseRunner } from './cases.ts';
import type { GeneratedCase } from './generated-case.ts';
import { problemsOf } from './checks.ts';
import { cloudOf, parseObject } from './case-facts.ts';
import type { CaseOutcome } from './outcome.ts';
import { redact } from './redaction.ts';

export interface CaseResult {
  readonly caseNumber: number;
  readonly runner: CaseRunner;
  readonly generated: GeneratedCase;
  readonly outcome: CaseOutcome;
}

/** What happened, for people: how often each kind of end, and every problem with the way to see it again. */
export interface CaseResults {
  record(played: CaseResult): void;
  readonly ends: ReadonlyMap<string, number>;
  readonly problems: readonly string[];
  slowest(): CaseResult | undefined;
}

export function createResults(seed: string): CaseResults {
  const ends = new Map<string, number>();
  const problems: string[] = [];
  const exitCodes = new Map<number, number | null>();
  let slowest: CaseResult | undefined;
  return {
    ends,
    problems,
    slowest: () => slowest,
    record: (played) => {
      const { caseNumber, outcome, generated } = played;
      if (slowest === undefined || outcome.durationMs > slowest.outcome.durationMs) slowest = played;
      for (const end of countedEnds(played)) ends.set(end, (ends.get(end) ?? 0) + 1);
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
function countedEnds({ runner, outcome, generated }: CaseResult): readonly string[] {
  const { exitCode, stdout } = outcome;
  const success = stdout.includes('"auth":{}') ? 'empty answer' : 'login';
  const failure = exitCode === 1 ? 'failure' : 'neither';
  const end = `${runner}: ${exitCode === 0 ? success : failure}`;
  const who = parseObject(generated.request.bytes)['serviceAccountToken'] === undefined ? 'node' : 'pod';
  const cloud = cloudOf(generated);
  const isProven = outcome.requests.some(({ service }) => ['sts', 'entra', 'google-sts'].includes(service));
  return [
    end,
    ...(passesSchemas(generated) ? [`${runner}: past the schemas`] : []),
    ...(cloud === undefined || end !== `${runner}: login`
      ? []
      : [`${end} of ${cloud} as ${who}${who === 'node' && isProven ? ' by a proof' : ''}`]),
  ];
}

/** What is refused at the door tests nothing behind it. */
function passesSchemas({ request, files, configFile }: GeneratedCase): boolean {
  if (!CredentialProviderRequest.safeParse(parseObject(request.bytes)).success) return false;
  try {
    if (configFile !== undefined) parseConfigFile(files['config.yaml'] ?? '', configFile);
    return true;
  } catch {
    return false;
  }
}

const longestTextCharacters = 700;

function describe({ runner, outcome, generated }: CaseResult, headline: string): string {
  const { request } = generated;
  const calls = outcome.requests.map(({ service, method, path }) => `${service} ${method} ${path}`);
  const text = [
    headline,
    `  ${runner}, image ${JSON.stringify(parseObject(request.bytes)['image'] ?? request.image)}`,
    `  exit code ${outcome.exitCode} after ${Math.round(outcome.durationMs)} ms`,
    `  ${calls.length} requests: ${calls.join(', ')}`,
    `  standard error ${JSON.stringify(outcome.stderr)}`,
  ];
  return text.map((line) => redact(line).slice(0, longestTextCharacters)).join('\n');
}

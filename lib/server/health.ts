import type { PageResponse } from './page.ts';

export interface HealthCheck {
  readonly name: string;
  /** The problem, for the log. `undefined`: none. */
  problem(): string | undefined;
}

/** The format of the API server's health pages. Everyone may read it, so it has no reasons. */
export function healthResponse(page: string, checks: readonly HealthCheck[], query: URLSearchParams): PageResponse {
  const results = [pingCheck, ...checks].map((check) => ({ name: check.name, isGood: check.problem() === undefined }));
  const isGood = results.every((result) => result.isGood);
  const status = isGood ? 200 : 500;
  if (isGood && !query.has('verbose')) return { status, text: 'ok' };
  const lines = results.map((result) => `${result.isGood ? '[+]' : '[-]'}${result.name} ${resultText(result.isGood)}`);
  return { status, text: `${[...lines, `${page} check ${isGood ? 'passed' : 'failed'}`].join('\n')}\n` };
}

const pingCheck: HealthCheck = { name: 'ping', problem: () => undefined };

function resultText(isGood: boolean): string {
  return isGood ? 'ok' : 'failed: reason withheld';
}

/** What was looked at on the way to a login, in order. */
export interface Report {
  readonly image: string;
  /** Would the kubelet get its answer? */
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

export interface Check {
  readonly about: string;
  /** `unknown`: it could not be found out, and the login does not hang on it. */
  readonly outcome: 'ok' | 'failed' | 'unknown';
  readonly said: string;
  readonly tookMs: number;
  readonly remedy?: string;
}

const marks: Readonly<Record<Check['outcome'], string>> = { ok: 'ok', failed: 'FAILED', unknown: '?' };

/** For people: a line a check, and what to do below the one that failed. */
export function reportText({ image, ok, checks }: Report): string {
  const width = Math.max(...checks.map(({ about }) => about.length));
  const lines = checks.flatMap(({ about, outcome, said, tookMs, remedy }) => [
    `${marks[outcome].padEnd(6)} ${about.padEnd(width)} ${duration(tookMs).padStart(8)}  ${said}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(width + 18)}to mend it: ${remedy}`]),
  ]);
  const verdict = ok ? 'the kubelet gets a login for it' : 'the kubelet gets no login for it';
  return `${lines.join('\n')}\n${image}: ${verdict}\n`;
}

function duration(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** The checks on the way to a login, in order. */
export interface DoctorReport {
  readonly image: string;
  /** Would the kubelet get a login? */
  readonly ok: boolean;
  readonly checks: readonly DoctorCheck[];
}

export interface DoctorFinding {
  readonly about: string;
  /** The login does not depend on an `unknown`, which could not be found out, or on a `warning`. */
  readonly outcome: 'ok' | 'warning' | 'failed' | 'unknown';
  readonly said: string;
  readonly remedy?: string;
}

export interface DoctorCheck extends DoctorFinding {
  /** Since the previous check. */
  readonly tookMs: number;
}

const marks: Readonly<Record<DoctorCheck['outcome'], string>> = {
  ok: 'ok',
  warning: '!',
  failed: 'FAILED',
  unknown: '?',
};
const markWidth = Math.max(...Object.values(marks).map(({ length }) => length));
const timeWidth = '10000 ms'.length;

/** For people: one line for each check, with a hint below a failed one. */
export function reportText({ image, ok, checks }: DoctorReport): string {
  const width = Math.max(...checks.map(({ about }) => about.length));
  const indent = ' '.repeat(markWidth + width + timeWidth + 4);
  const lines = checks.flatMap(({ about, outcome, said, tookMs, remedy }) => [
    `${marks[outcome].padEnd(markWidth)} ${about.padEnd(width)} ${duration(tookMs).padStart(timeWidth)}  ${said}`,
    ...(remedy === undefined ? [] : [`${indent}hint: ${remedy}`]),
  ]);
  const verdict = ok ? 'the kubelet gets a login for it' : 'the kubelet gets no login for it';
  return `${lines.join('\n')}\n${image}: ${verdict}\n`;
}

function duration(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

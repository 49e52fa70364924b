import { markOf, markWidth } from '../../lib/command-line/outcome.ts';
import type { Outcome } from '../../lib/command-line/outcome.ts';
import { plain } from '../../lib/command-line/paint.ts';
import type { Paint } from '../../lib/command-line/paint.ts';
import type { FailureKind } from '../../lib/failure.ts';

/** The checks on the way to a login, in order. */
export interface DoctorReport {
  readonly image: string;
  /** Nothing is wrong: the kubelet gets a login, or needs none. */
  readonly ok: boolean;
  readonly result: 'login' | 'no-login-needed' | 'no-login';
  readonly checks: readonly DoctorCheck[];
}

/** They stay the same from version to version. Of a check that failed, the kind of the failure. */
export type DoctorCode =
  | FailureKind
  | 'internal-error'
  | 'no-kubelet'
  | 'kubelet-without-config'
  | 'kubelet-config-invalid'
  | 'kubelet-config-warning'
  | 'kubelet-entry'
  | 'kubelet-entry-of-another-program'
  | 'no-entry-for-image'
  | 'no-entry-with-token'
  | 'no-entry-without-token'
  | 'annotation-missing'
  | 'annotation-not-sent'
  | 'configuration'
  | 'registry'
  | 'public-image'
  | 'identity'
  | 'login'
  | 'answer'
  | 'step'
  | 'retry'
  | 'node'
  | 'broker-answers'
  | 'broker-fails'
  | 'broker-declines'
  | 'broker-silent'
  | 'broker-not-asked'
  | 'broker-not-installed';

export interface DoctorFinding {
  readonly about: string;
  readonly code: DoctorCode;
  /** The login does not depend on an `unknown`, which could not be found out, or on a `warning`. */
  readonly outcome: Outcome;
  readonly said: string;
  readonly remedy?: string;
}

export interface DoctorCheck extends DoctorFinding {
  /** Since the previous check. */
  readonly tookMs: number;
}

const timeWidth = '10000 ms'.length;

/** For people: one line for each check, with a hint below a failed one. */
export function reportText({ image, result, checks }: DoctorReport, paint: Paint = plain): string {
  const width = Math.max(...checks.map(({ about }) => about.length));
  const indent = ' '.repeat(markWidth + width + timeWidth + 4);
  const lines = checks.flatMap(({ about, outcome, said, tookMs, remedy }) => [
    `${markOf(outcome, paint)} ${about.padEnd(width)} ${duration(tookMs).padStart(timeWidth)}  ${said}`,
    ...(remedy === undefined ? [] : [`${indent}hint: ${remedy}`]),
  ]);
  const verdict = paint(result === 'no-login' ? 'red' : 'green', verdicts[result]);
  return `${lines.join('\n')}\n${image}: ${verdict}\n`;
}

const verdicts: Readonly<Record<DoctorReport['result'], string>> = {
  login: 'the kubelet gets a login for it',
  'no-login-needed': 'the kubelet needs no login for it if the image is public',
  'no-login': 'the kubelet gets no login for it',
};

function duration(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

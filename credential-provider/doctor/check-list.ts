import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/failure.ts';
import type { DoctorCheck, DoctorCode, DoctorFinding } from './report.ts';

/** Collects the checks, each with the time since the one before. */
export interface CheckList {
  add(finding: DoctorFinding): void;
  /** Its time is known when the next check is added. */
  startStep(said: string): void;
  fail(error: unknown): void;
  checks(): readonly DoctorCheck[];
}

export function createCheckList(clock: Clock, redact: (text: string) => string): CheckList {
  const checks: DoctorCheck[] = [];
  let sinceMs = clock.monotonicMs();
  let currentStep: string | undefined;

  function write({ said, remedy, ...finding }: DoctorFinding): void {
    const nowMs = clock.monotonicMs();
    const optionalRemedy = remedy !== undefined && { remedy: redact(remedy) };
    checks.push({ ...finding, said: redact(said), ...optionalRemedy, tookMs: Math.round((nowMs - sinceMs) * 10) / 10 });
    sinceMs = nowMs;
  }

  function finishStep(): void {
    if (currentStep !== undefined) write({ about: 'step', code: 'step', outcome: 'ok', said: currentStep });
    currentStep = undefined;
  }

  return {
    add: (finding) => {
      finishStep();
      write(finding);
    },
    startStep: (said) => {
      if (isRetry.test(said)) {
        write({ about: 'retry', code: 'retry', outcome: 'warning', said });
        return;
      }
      finishStep();
      currentStep = said;
    },
    fail: (error) => {
      const { code, said, remedy } = describeError(error);
      const about = currentStep === undefined ? 'answer' : 'step';
      const where = currentStep === undefined ? '' : `${currentStep}: `;
      write({ about, code, outcome: 'failed', said: `${where}${said}`, remedy });
      currentStep = undefined;
    },
    checks: () => checks,
  };
}

/** The step continues after it; see lib/retry.ts. */
const isRetry = /; again in \d+ ms$/;

function describeError(error: unknown): { readonly code: DoctorCode; readonly said: string; readonly remedy: string } {
  if (error instanceof Failure) return { code: error.kind, said: error.message, remedy: error.remedy };
  const kind = error instanceof Error ? error.name : typeof error;
  return { code: 'internal-error', said: `internal error (${kind})`, remedy: 'report it with the lines above' };
}

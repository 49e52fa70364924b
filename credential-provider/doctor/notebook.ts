import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/failure.ts';
import type { Check, Finding } from './report.ts';

/** Writes down what happens, each entry with the time since the one before. */
export interface Notebook {
  note(finding: Finding): void;
  /** Something was begun; how long it took is known when the next thing is written. */
  step(said: string): void;
  fail(error: unknown): void;
  checks(): readonly Check[];
}

export function createNotebook(clock: Clock, clean: (text: string) => string): Notebook {
  const checks: Check[] = [];
  let sinceMs = clock.monotonicMs();
  let underWay: string | undefined;

  function write({ said, remedy, ...finding }: Finding): void {
    const nowMs = clock.monotonicMs();
    const mend = remedy !== undefined && { remedy: clean(remedy) };
    checks.push({ ...finding, said: clean(said), ...mend, tookMs: Math.round((nowMs - sinceMs) * 10) / 10 });
    sinceMs = nowMs;
  }

  function finishStep(): void {
    if (underWay !== undefined) write({ about: 'step', outcome: 'ok', said: underWay });
    underWay = undefined;
  }

  return {
    note: (finding) => {
      finishStep();
      write(finding);
    },
    step: (said) => {
      if (isRetry.test(said)) {
        write({ about: 'retry', outcome: 'warning', said });
        return;
      }
      finishStep();
      underWay = said;
    },
    fail: (error) => {
      const { said, remedy } = inWords(error);
      const about = underWay === undefined ? 'answer' : 'step';
      write({ about, outcome: 'failed', said: underWay === undefined ? said : `${underWay}: ${said}`, remedy });
      underWay = undefined;
    },
    checks: () => checks,
  };
}

/** The step goes on; see lib/retry.ts. */
const isRetry = /; again in \d+ ms$/;

function inWords(error: unknown): { readonly said: string; readonly remedy: string } {
  if (error instanceof Failure) return { said: error.message, remedy: error.remedy };
  const kind = error instanceof Error ? error.name : typeof error;
  return { said: `internal error (${kind})`, remedy: 'report it with what stands above' };
}

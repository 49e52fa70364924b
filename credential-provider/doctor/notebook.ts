import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/failure.ts';
import type { Check } from './report.ts';

/** Writes down what happens, each entry with the time since the one before. */
export interface Notebook {
  note(check: Omit<Check, 'tookMs'>): void;
  /** Something was begun; how long it took is known when the next thing is written. */
  step(said: string): void;
  fail(error: unknown): void;
  checks(): readonly Check[];
}

export function createNotebook(clock: Clock, clean: (text: string) => string): Notebook {
  const checks: Check[] = [];
  let sinceMs = clock.monotonicMs();
  let underWay: string | undefined;

  function write(check: Omit<Check, 'tookMs'>): void {
    const nowMs = clock.monotonicMs();
    checks.push({ ...check, said: clean(check.said), tookMs: nowMs - sinceMs });
    sinceMs = nowMs;
  }

  function finishStep(): void {
    if (underWay !== undefined) write({ about: 'step', outcome: 'ok', said: underWay });
    underWay = undefined;
  }

  return {
    note: (check) => {
      finishStep();
      write(check);
    },
    step: (said) => {
      finishStep();
      underWay = said;
    },
    fail: (error) => {
      const known = error instanceof Failure;
      const said = known
        ? error.message
        : `an error of our own (${error instanceof Error ? error.name : typeof error})`;
      const remedy = known ? error.remedy : 'report it with what stands above';
      const about = underWay === undefined ? 'answer' : 'step';
      write({ about, outcome: 'failed', said: underWay === undefined ? said : `${underWay}: ${said}`, remedy });
      underWay = undefined;
    },
    checks: () => checks,
  };
}

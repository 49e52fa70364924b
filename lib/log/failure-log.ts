import type { Clock } from '../clock.ts';
import type { FailureFields } from './failure-fields.ts';

/** One thing that can fail again and again, such as a cloud that is asked every few seconds. */
export interface FailureLog {
  failed(failure: FailureFields): void;
  recovered(): void;
}

export interface FailureLogOutput {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Something new fails. */
  logFailure(failure: FailureFields): void;
  /** It fails as it was said before. */
  logRepeatedFailure(failure: FailureFields): void;
  logRecovery(): void;
}

/** What comes and goes all the time is not said each time. */
const quietMs = 5 * 60_000;
/** Texts that are another one each time. */
const maxTexts = 20;

/** Each failure is said once, not for each retry, and so is the end of them. */
export function openFailureLog({ clock, logFailure, logRepeatedFailure, logRecovery }: FailureLogOutput): FailureLog {
  const loggedAtMs = new Map<string, number>();
  const current = new Set<string>();

  function isKnown(text: string): boolean {
    const nowMs = clock.monotonicMs();
    for (const [each, atMs] of loggedAtMs) {
      if (!current.has(each) && nowMs - atMs >= quietMs) loggedAtMs.delete(each);
    }
    return loggedAtMs.has(text) || loggedAtMs.size >= maxTexts;
  }

  return {
    failed: (failure) => {
      if (isKnown(failure.err)) {
        logRepeatedFailure(failure);
        return;
      }
      loggedAtMs.set(failure.err, clock.monotonicMs());
      current.add(failure.err);
      logFailure(failure);
    },
    recovered: () => {
      if (current.size > 0) logRecovery();
      current.clear();
    },
  };
}

import type { Clock } from '../clock.ts';
import type { FailureFields } from './failure-fields.ts';

/** Logs the failures of one repeated operation, such as a request to a cloud every few seconds. */
export interface FailureLog {
  failed(failure: FailureFields): void;
  recovered(): void;
}

export interface FailureLogOutput {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** A failure that differs from the last one. */
  logFailure(failure: FailureFields): void;
  /** The same failure as before. */
  logRepeatedFailure(failure: FailureFields): void;
  logRecovery(): void;
}

/** A failure that comes and goes is not logged each time, and one that stays is logged again. */
const quietMs = 5 * 60_000;
/** Parts of messages that differ each time. */
const maxTexts = 20;

/** Logs each failure once and then, for as long as it stays, one line every 5 minutes; logs the recovery once. */
export function openFailureLog({ clock, logFailure, logRepeatedFailure, logRecovery }: FailureLogOutput): FailureLog {
  const loggedAtMs = new Map<string, number>();
  const current = new Set<string>();
  let lastAtMs = -Infinity;

  function isKnown(text: string, nowMs: number): boolean {
    for (const [each, atMs] of loggedAtMs) {
      if (!current.has(each) && nowMs - atMs >= quietMs) loggedAtMs.delete(each);
    }
    return loggedAtMs.has(text) || loggedAtMs.size >= maxTexts;
  }

  return {
    failed: (failure) => {
      const nowMs = clock.monotonicMs();
      const known = isKnown(failure.err, nowMs);
      if (known && nowMs - lastAtMs < quietMs) {
        logRepeatedFailure(failure);
        return;
      }
      lastAtMs = nowMs;
      if (!known || loggedAtMs.has(failure.err)) {
        loggedAtMs.set(failure.err, nowMs);
        current.add(failure.err);
      }
      logFailure(failure);
    },
    recovered: () => {
      if (current.size > 0) logRecovery();
      current.clear();
    },
  };
}

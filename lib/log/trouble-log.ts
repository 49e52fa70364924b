import type { Clock } from '../clock.ts';
import type { FailureFields } from './failure-fields.ts';

/** One thing that can fail again and again, such as a cloud that is asked every few seconds. */
export interface TroubleLog {
  met(failure: FailureFields): void;
  over(): void;
}

export interface TroubleLines {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Something new fails. */
  fails(failure: FailureFields): void;
  /** It fails as it was said before. */
  failsStill(failure: FailureFields): void;
  works(): void;
}

/** What comes and goes all the time is not said each time. */
const quietMs = 5 * 60_000;
/** Texts that are another one each time. */
const mostTexts = 20;

/** Each failure is said once, not for each retry, and so is the end of them. */
export function createTroubleLog({ clock, fails, failsStill, works }: TroubleLines): TroubleLog {
  const saidAtMs = new Map<string, number>();
  const current = new Set<string>();

  function isKnown(text: string): boolean {
    const nowMs = clock.monotonicMs();
    for (const [each, atMs] of saidAtMs) {
      if (!current.has(each) && nowMs - atMs >= quietMs) saidAtMs.delete(each);
    }
    return saidAtMs.has(text) || saidAtMs.size >= mostTexts;
  }

  return {
    met: (failure) => {
      if (isKnown(failure.err)) {
        failsStill(failure);
        return;
      }
      saidAtMs.set(failure.err, clock.monotonicMs());
      current.add(failure.err);
      fails(failure);
    },
    over: () => {
      if (current.size > 0) works();
      current.clear();
    },
  };
}

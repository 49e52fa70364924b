import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/failure.ts';

/** Throws the full program's time-out `Failure` when the work takes too long. The signal then aborts the work. */
export async function withTimeout<Result>(
  longestMs: number,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<Result>,
  lastStep: () => string,
): Promise<Result> {
  const over = new AbortController();
  try {
    const timeout = clock.sleep(longestMs, over.signal).then(() => {
      throw timeoutFailure(longestMs, lastStep());
    });
    return await Promise.race([work(over.signal), timeout]);
  } finally {
    over.abort(new Error('it is over'));
  }
}

function timeoutFailure(afterMs: number, lastStep: string): Failure {
  const last = lastStep === '' ? '' : `, last: ${lastStep}`;
  return new Failure('unavailable', `no answer within ${afterMs / 1_000} s${last}`, {
    remedy: lastStep === '' ? 'look into the log of the agent' : 'check what that step waits for',
    cause: new DOMException(`after ${afterMs} ms`, 'TimeoutError'),
  });
}

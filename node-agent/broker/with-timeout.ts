import type { Clock } from '../../lib/clock.ts';

/** Ends with the work, or with the given error when that takes too long. The work is told by its signal that it is over. */
export async function withTimeout<Result>(
  longestMs: number,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<Result>,
  timeoutError: () => Error,
): Promise<Result> {
  const over = new AbortController();
  try {
    const timeout = clock.sleep(longestMs, over.signal).then(() => {
      throw timeoutError();
    });
    return await Promise.race([work(over.signal), timeout]);
  } finally {
    over.abort(new Error('it is over'));
  }
}

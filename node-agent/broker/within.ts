import type { Clock } from '../../lib/clock.ts';

/** Ends with the work, or with the given error when that takes too long. The work is told by its signal that it is over. */
export async function within<Result>(
  longestMs: number,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<Result>,
  late: () => Error,
): Promise<Result> {
  const over = new AbortController();
  try {
    const tooLate = clock.sleep(longestMs, over.signal).then(() => {
      throw late();
    });
    return await Promise.race([work(over.signal), tooLate]);
  } finally {
    over.abort(new Error('it is over'));
  }
}

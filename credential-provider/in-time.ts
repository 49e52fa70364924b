import { Failure } from '../lib/failure.ts';
import { longestAnswerMs } from './world.ts';
import type { Progress, World } from './world.ts';

/** Ends with the work, or with a reason when the kubelet would soon have waited long enough. */
export async function inTime<Result>(
  work: Promise<Result>,
  startedAtMs: number,
  { clock }: Pick<World, 'clock'>,
  progress: Progress,
): Promise<Result> {
  const leftMs = startedAtMs + longestAnswerMs - clock.monotonicMs();
  const late = clock.sleep(leftMs, progress.end.signal).then(() => {
    throw new Failure('unavailable', `no answer within ${longestAnswerMs / 1000} s, last: ${progress.lastStep}`, {
      remedy: 'check what that step waits for',
    });
  });
  return Promise.race([work, late]);
}

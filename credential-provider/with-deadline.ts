import { Failure } from '../lib/failure.ts';
import { requestTimeoutMs } from './runtime.ts';
import type { Progress, ProviderRuntime } from './runtime.ts';

/** Ends with the work, or with a reason when the kubelet would soon have waited long enough. */
export async function withDeadline<Result>(
  work: Promise<Result>,
  startedAtMs: number,
  { clock }: Pick<ProviderRuntime, 'clock'>,
  progress: Progress,
): Promise<Result> {
  const leftMs = startedAtMs + requestTimeoutMs - clock.monotonicMs();
  const timeout = clock.sleep(leftMs, progress.end.signal).then(() => {
    throw new Failure('unavailable', `no answer within ${requestTimeoutMs / 1000} s, last: ${progress.lastStep}`, {
      remedy: 'check what that step waits for',
    });
  });
  return Promise.race([work, timeout]);
}

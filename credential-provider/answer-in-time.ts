import type { Clock } from '../lib/clock.ts';
import { Failure } from '../lib/failure.ts';
import { answerRequest } from '../lib/registry-login/answer-request.ts';
import type { AnswerDeps } from '../lib/registry-login/answer-request.ts';
import type { CredentialProviderResponse } from '../schemas/credential-provider.ts';
import { requestTimeoutMs } from './runtime.ts';
import type { Input, Progress } from './runtime.ts';

/** Returns or throws before the kubelet's own time limit, and aborts everything that is still running then. */
export async function answerInTime(
  { request, startedAtMs, compatMode }: Input,
  deps: AnswerDeps,
  progress: Progress,
): Promise<CredentialProviderResponse> {
  try {
    const work = answerRequest(request, deps, compatMode?.behavior);
    return await Promise.race([work, timeout(startedAtMs, deps.clock, progress)]);
  } finally {
    progress.end.abort(new Error('answered'));
  }
}

async function timeout(startedAtMs: number, clock: Clock, progress: Progress): Promise<never> {
  await clock.sleep(startedAtMs + requestTimeoutMs - clock.monotonicMs(), progress.end.signal);
  throw new Failure('unavailable', `no answer within ${requestTimeoutMs / 1000} s, last: ${progress.lastStep}`, {
    remedy: 'check what that step waits for',
  });
}

import type { Context } from '../../lib/context.ts';
import { Failure } from '../../lib/failure.ts';

/** When the next call to a scope may go out: a token bucket, and a backoff after each failure. */
export interface ScopeRateLimiter {
  /** Until there is a token and the backoff is over; 0: now. */
  waitMs(nowMs: number): number;
  /** Until the backoff is over. */
  backoffMs(nowMs: number): number;
  /** How long to wait for more new nodes since the last batch with new nodes was started; 0: no longer. */
  gatherMs(nowMs: number): number;
  /** Takes the token of the first call of a batch. */
  startBatch(nowMs: number, hasNewNodes: boolean): void;
  /** Takes the token of a further call. */
  take(nowMs: number): void;
  succeeded(): void;
  failed(failure: Failure, nowMs: number): void;
}

const callsPerSecond = 5;
/**
 * The pages of the lists of a thousand machines. The clouds allow more at once, for all programs of an account together:
 * EC2 100 requests, Azure 250, and Google 1,500 in a minute.
 * https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
 * https://learn.microsoft.com/azure/azure-resource-manager/management/request-limits-and-throttling
 * https://cloud.google.com/compute/api-quota
 */
export const burstCalls = 50;
const firstPauseMs = 1_000;
/** Short enough that work goes on within one period of the cloud's return. */
const maxPauseMs = 15_000;
/** Longer values of Retry-After are cut to this. */
const maxRetryAfterMs = 5 * 60_000;
/** If a thousand nodes register within ten seconds, a hundred share a call. */
const gatheringMs = 1_000;
const msPerSecond = 1_000;

export function createScopeRateLimiter(random: () => number): ScopeRateLimiter {
  let tokens = burstCalls;
  let filledAtMs = 0;
  let failures = 0;
  let closedUntilMs = 0;
  let lastNewNodesAtMs = -Infinity;
  const fill = (nowMs: number): void => {
    tokens = Math.min(burstCalls, tokens + ((nowMs - filledAtMs) * callsPerSecond) / msPerSecond);
    filledAtMs = nowMs;
  };
  const take = (nowMs: number): void => {
    fill(nowMs);
    tokens -= 1;
  };
  return {
    waitMs: (nowMs) => {
      fill(nowMs);
      const untilToken = tokens >= 1 ? 0 : ((1 - tokens) * msPerSecond) / callsPerSecond;
      return Math.max(untilToken, closedUntilMs - nowMs, 0);
    },
    backoffMs: (nowMs) => Math.max(closedUntilMs - nowMs, 0),
    gatherMs: (nowMs) => Math.max(lastNewNodesAtMs + gatheringMs - nowMs, 0),
    startBatch: (nowMs, hasNewNodes) => {
      take(nowMs);
      if (hasNewNodes) lastNewNodesAtMs = nowMs;
    },
    take,
    succeeded: () => {
      failures = 0;
    },
    failed: (failure, nowMs) => {
      const pauseMs = Math.min(firstPauseMs * 2 ** failures, maxPauseMs) * (0.5 + random() / 2);
      failures += 1;
      closedUntilMs = Math.max(closedUntilMs, nowMs + Math.min(failure.retryAfterMs ?? pauseMs, maxRetryAfterMs));
    },
  };
}

/** For the calls of one look-up. The first one has its token already: it was taken when the batch was started. */
export function createBeforeCall(limiter: ScopeRateLimiter, context: Context): () => Promise<void> {
  const { clock, signal, deadlineAtMs } = context;
  let isTokenReserved = true;
  const waitMs = (): number => {
    const nowMs = clock.monotonicMs();
    return isTokenReserved ? limiter.backoffMs(nowMs) : limiter.waitMs(nowMs);
  };
  return async () => {
    for (let leftMs = waitMs(); leftMs > 0; leftMs = waitMs()) {
      if (clock.monotonicMs() + leftMs > deadlineAtMs) throw noTimeLeft(leftMs);
      await clock.sleep(leftMs, signal);
    }
    if (!isTokenReserved) limiter.take(clock.monotonicMs());
    isTokenReserved = false;
  };
}

function noTimeLeft(retryAfterMs: number): Failure {
  return new Failure('throttled', 'the rate limit leaves no time for another call of this look-up', {
    remedy: 'it is retried; if this stays, the look-up needs too many calls',
    retryAfterMs,
  });
}

import type { Context } from '../../lib/context.ts';
import { Failure } from '../../lib/failure.ts';

/** When the next call to a scope may go out: a token bucket, and a backoff after each failure. */
export interface ScopeRateLimiter {
  /** Until there is a token and the backoff is over; 0: now. New nodes wait a second at most. */
  waitMs(nowMs: number, hasNewNodes?: boolean): number;
  /** Has it all its tokens, and no backoff? Then a new one would be the same. */
  isIdle(nowMs: number): boolean;
  /** Until the backoff is over. */
  backoffMs(nowMs: number): number;
  /** How long to wait for more new nodes since the last batch with new nodes was started; 0: no longer. */
  gatherMs(nowMs: number): number;
  /** Takes the token of the first call of a batch. */
  startBatch(nowMs: number, hasNewNodes: boolean): void;
  /** Takes the token of a further call. */
  take(nowMs: number): void;
  /** The token of a call that was not sent. */
  giveBack(): void;
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
export const gatheringMs = 1_000;
const msPerSecond = 1_000;
const spacingMs = msPerSecond / callsPerSecond;

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
  const gatherMs = (nowMs: number): number => Math.max(lastNewNodesAtMs + gatheringMs - nowMs, 0);
  const take = (nowMs: number): void => {
    fill(nowMs);
    tokens -= 1;
  };
  return {
    waitMs: (nowMs, hasNewNodes = false) => {
      fill(nowMs);
      const untilTokenMs = tokens >= 1 ? 0 : (1 - tokens) * spacingMs;
      const untilNextMs = hasNewNodes ? Math.min(untilTokenMs, gatherMs(nowMs)) : untilTokenMs;
      return Math.max(untilNextMs, closedUntilMs - nowMs, 0);
    },
    isIdle: (nowMs) => {
      fill(nowMs);
      return tokens >= burstCalls && closedUntilMs <= nowMs;
    },
    backoffMs: (nowMs) => Math.max(closedUntilMs - nowMs, 0),
    gatherMs,
    startBatch: (nowMs, hasNewNodes) => {
      take(nowMs);
      if (hasNewNodes) lastNewNodesAtMs = nowMs;
    },
    take,
    giveBack: () => {
      tokens += 1;
    },
    succeeded: () => {
      failures = 0;
    },
    failed: ({ retryAfterMs }, nowMs) => {
      const jitter = 0.5 + random() / 2;
      // Calls that were sent together fail together, or later than their cloud has recovered: they count once.
      if (closedUntilMs <= nowMs) {
        const pauseMs = Math.min(firstPauseMs * 2 ** failures, maxPauseMs);
        failures += 1;
        // A wait of 0 s is no reason to send all of it again at once.
        closedUntilMs = nowMs + (retryAfterMs === undefined ? pauseMs : firstPauseMs) * jitter;
      }
      closedUntilMs = Math.max(closedUntilMs, nowMs + Math.min(retryAfterMs ?? 0, maxRetryAfterMs));
    },
  };
}

/**
 * For the calls of one look-up. The first one has its token already: it was taken when the batch was started. The others
 * take theirs before they wait: so calls go out in their order, and later batches see how many there are.
 */
export function createBeforeCall(limiter: ScopeRateLimiter, context: Context): () => Promise<void> {
  const { clock, signal, deadlineAtMs } = context;
  const backoffMs = (): number => limiter.backoffMs(clock.monotonicMs());
  const checkTime = (waitMs: number): void => {
    if (clock.monotonicMs() + waitMs > deadlineAtMs) throw noTimeLeft(waitMs);
  };
  // Not for a part of a millisecond: the time would be the same after that.
  const sleep = (waitMs: number): Promise<void> => clock.sleep(Math.ceil(waitMs), signal);
  let isFirstCall = true;
  return async () => {
    const hasToken = isFirstCall;
    isFirstCall = false;
    for (;;) {
      for (let leftMs = backoffMs(); leftMs > 0; leftMs = backoffMs()) {
        checkTime(leftMs);
        await sleep(leftMs);
      }
      if (hasToken) return;
      const turnInMs = limiter.waitMs(clock.monotonicMs());
      checkTime(turnInMs);
      limiter.take(clock.monotonicMs());
      if (turnInMs === 0) return;
      await sleep(turnInMs);
      if (backoffMs() === 0) return;
      // Calls that waited for their turn until now must not all go out at the end of the backoff.
      limiter.giveBack();
    }
  };
}

const ownFailures = new WeakSet<Failure>();

/** Is it a failure of this limit, and not of the cloud? */
export function isOwnLimit(failure: Failure): boolean {
  return ownFailures.has(failure);
}

function noTimeLeft(retryAfterMs: number): Failure {
  const failure = new Failure('throttled', 'the rate limit leaves no time for another call of this look-up', {
    remedy: 'it is retried; if this stays, the look-up needs too many calls',
    retryAfterMs,
  });
  ownFailures.add(failure);
  return failure;
}

import type { Failure } from '../../lib/failure.ts';

/** When a scope may be asked again: a token bucket for the usual pace, a growing pause after each failure. */
export interface ScopeRateLimiter {
  /** 0: now. */
  waitMs(nowMs: number): number;
  /** How long those who registered since the last call still gather, while more of them may come; 0: long enough. */
  gatherMs(nowMs: number): number;
  /** One call goes out. */
  take(nowMs: number): void;
  succeeded(): void;
  failed(failure: Failure, nowMs: number): void;
}

const callsPerSecond = 5;
const burstCalls = 10;
const firstPauseMs = 1_000;
/** Short enough that what became right is done within one period after the cloud is back. */
const maxPauseMs = 15_000;
/** Whatever somebody asks for: a scope is not given up for an hour. */
const maxRetryAfterMs = 5 * 60_000;
/** Of a thousand nodes that register within ten seconds, a hundred share a call. */
const gatheringMs = 1_000;
const msPerSecond = 1_000;

export function createScopeRateLimiter(random: () => number): ScopeRateLimiter {
  let tokens = burstCalls;
  let filledAtMs = 0;
  let failures = 0;
  let closedUntilMs = 0;
  let lastCallAtMs = -Infinity;
  const fill = (nowMs: number): void => {
    tokens = Math.min(burstCalls, tokens + ((nowMs - filledAtMs) * callsPerSecond) / msPerSecond);
    filledAtMs = nowMs;
  };
  return {
    waitMs: (nowMs) => {
      fill(nowMs);
      const untilToken = tokens >= 1 ? 0 : ((1 - tokens) * msPerSecond) / callsPerSecond;
      return Math.max(untilToken, closedUntilMs - nowMs, 0);
    },
    gatherMs: (nowMs) => Math.max(lastCallAtMs + gatheringMs - nowMs, 0),
    take: (nowMs) => {
      fill(nowMs);
      tokens -= 1;
      lastCallAtMs = nowMs;
    },
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

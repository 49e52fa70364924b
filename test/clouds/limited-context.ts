import { burstCalls, createBeforeCall, createScopeRateLimiter } from '../../ccm/node-controller/scope-rate-limiter.ts';
import type { LookupContext } from '../../clouds/cloud.ts';

export interface LimitedContext {
  readonly full: LookupContext;
  readonly nowMs: () => number;
}

/** As the controller limits it, after earlier look-ups have used the burst. Time passes only while it waits. */
export function limitedContext(real: LookupContext, lookupTimeMs: number): LimitedContext {
  let nowMs = 0;
  const clock = {
    ...real.clock,
    monotonicMs: () => nowMs,
    sleep: async (durationMs: number) => {
      const untilMs = nowMs + durationMs;
      await Promise.resolve();
      nowMs = Math.max(nowMs, untilMs);
    },
  };
  const limiter = createScopeRateLimiter(() => 0.5);
  for (let used = 0; used < burstCalls; used++) limiter.take(nowMs);
  const limited = { ...real, clock, deadlineAtMs: lookupTimeMs };
  return { full: { ...limited, beforeCall: createBeforeCall(limiter, limited) }, nowMs: () => nowMs };
}

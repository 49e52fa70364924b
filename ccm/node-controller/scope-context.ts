import type { LookupContext } from '../../clouds/index.ts';
import type { Context } from '../../lib/context.ts';
import type { Http } from '../../lib/http/http.ts';
import { statusFailure } from '../../lib/http/status-failure.ts';
import { createBeforeCall } from './scope-rate-limiter.ts';
import type { ScopeRateLimiter } from './scope-rate-limiter.ts';

/** For one call of a cloud in a scope, whose first token was taken when it was started. */
export function scopeContext(
  context: Context,
  rateLimiter: ScopeRateLimiter,
  countRequest: (status?: number) => void,
): LookupContext {
  const http = watchedForThrottling(context, rateLimiter, countRequest);
  return { ...context, http, beforeCall: createBeforeCall(rateLimiter, context) };
}

/** A throttled request closes the scope at once, not only when its call has ended: a call can be many requests. */
function watchedForThrottling(
  { http, clock }: Context,
  rateLimiter: ScopeRateLimiter,
  countRequest: (status?: number) => void,
): Http {
  const send: Http['send'] = async (request, signal) => {
    const response = await http.send(request, signal).catch((error: unknown) => {
      countRequest();
      throw error;
    });
    const { status, headers } = response;
    countRequest(status);
    const isThrottled = status === 429 || (status === 503 && headers['retry-after'] !== undefined);
    if (isThrottled) rateLimiter.failed(statusFailure('', response, clock.wallMs()), clock.monotonicMs());
    return response;
  };
  return { ...http, send };
}

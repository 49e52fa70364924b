import type { LookupContext } from '../../clouds/index.ts';
import { Failure } from '../../lib/failure.ts';
import { scopeContext } from '../node-controller/scope-context.ts';
import type { RouteState, RouteTable } from './state.ts';

/** For one call, when it is the table's turn. */
export async function callContext(
  { cloud, rateLimiter }: RouteTable,
  { dependencies }: RouteState,
  signal: AbortSignal,
): Promise<LookupContext> {
  const { clock, metrics, contextFor } = dependencies;
  for (;;) {
    const waitMs = rateLimiter.waitMs(clock.monotonicMs());
    if (waitMs <= 0) break;
    await clock.sleep(Math.ceil(waitMs), signal);
  }
  rateLimiter.startBatch(clock.monotonicMs(), false);
  return scopeContext(contextFor(signal), rateLimiter, (status) => metrics.countCloudRequest(cloud.name, status));
}

export function asFailure(error: unknown, { cloud }: Pick<RouteTable, 'cloud'>): Failure {
  if (error instanceof Failure) return error;
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  if (isLate) {
    return new Failure('unavailable', `${cloud.name} did not respond in time`, {
      remedy: 'it is retried; if this stays, check the network to the cloud',
      cause: error,
    });
  }
  const name = error instanceof Error ? error.name : typeof error;
  return new Failure('unavailable', `${cloud.name}: internal error (${name})`, {
    remedy: 'run with -v 1 and report what it says',
    cause: error,
  });
}

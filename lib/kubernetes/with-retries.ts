import type { Clock } from '../clock.ts';
import type { ClusterAccess, ApiServerTarget } from './access/cluster-access.ts';
import { KubernetesError, isKubernetesError } from './kubernetes-error.ts';
import { untilAborted } from './until-aborted.ts';

export interface ApiRetryDeps {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly random: () => number;
}

const maxAttempts = 5;
/** A longer one is for the caller to decide on. */
const longestWaitMs = 30_000;

/**
 * Asks again where the API server has done nothing and another time helps: as whoever we are by now if it did not know
 * us, and after the wait it asked for if it has too much to do.
 */
export async function withRetries<T>(
  operation: (target: ApiServerTarget) => Promise<T>,
  { access, clock, random }: ApiRetryDeps,
  signal: AbortSignal,
): Promise<T> {
  let target = await untilAborted(access.current(), signal);
  for (let attempt = 1; ; attempt++) {
    try {
      return await operation(target);
    } catch (error) {
      if (attempt === maxAttempts) throw error;
      const before = target;
      if (isKubernetesError(error, 'unauthorized')) access.invalidate(before);
      else await clock.sleep(requestedWaitMs(error, random), signal);
      target = await untilAborted(access.current(), signal);
      if (isKubernetesError(error, 'unauthorized') && target === before) throw error;
    }
  }
}

/** Up to half as much on top, so that those who were told the same do not come back at once. Throws what has no wait. */
function requestedWaitMs(error: unknown, random: () => number): number {
  if (!(error instanceof KubernetesError) || error.kind !== 'throttled') throw error;
  if (error.retryAfterMs === undefined || error.retryAfterMs > longestWaitMs) throw error;
  return error.retryAfterMs * (1 + random() / 2);
}

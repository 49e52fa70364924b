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
/** The caller decides about a longer one. */
const longestWaitMs = 30_000;

/**
 * Retries a request that the API server did not execute: with new credentials if it refused the old ones, and after the
 * requested wait if it throttles.
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

/** The requested wait and up to half as much, so that clients do not retry together. Throws an error without a wait. */
function requestedWaitMs(error: unknown, random: () => number): number {
  if (!(error instanceof KubernetesError) || error.kind !== 'throttled') throw error;
  if (error.retryAfterMs === undefined || error.retryAfterMs > longestWaitMs) throw error;
  return error.retryAfterMs * (1 + random() / 2);
}

import type { ClusterAccess, ApiServerTarget } from '../../../lib/kubernetes/access/cluster-access.ts';
import { createClient } from '../../../lib/kubernetes/client.ts';
import type { KubernetesClient } from '../../../lib/kubernetes/client.ts';
import type { TimeLimits } from '../../../lib/http/limits.ts';
import type { Clock } from '../../../lib/clock.ts';
import { Secret } from '../../../lib/secret.ts';

/** Credentials that a test turns by hand. */
export interface MutableAccess extends ClusterAccess {
  update(changes: Partial<ApiServerTarget>): void;
  /** What `refused` was called with, in order. */
  readonly invalidated: readonly ApiServerTarget[];
}

export function createMutableAccess(first: ApiServerTarget): MutableAccess {
  let target = first;
  const invalidated: ApiServerTarget[] = [];
  return {
    current: () => target,
    invalidate: (rejected) => {
      invalidated.push(rejected);
    },
    update: (changes) => {
      target = { ...target, ...changes };
    },
    invalidated,
  };
}

export const generousLimits: TimeLimits = { connectMs: 10_000, totalMs: 20_000 };

export function createTestClient(access: ClusterAccess, clock: Clock, limits: TimeLimits): KubernetesClient {
  return createClient({ access, userAgent: 'polycloud-test', limits, clock, random: () => 0 });
}

export function plainTarget(port: number, token: string): ApiServerTarget {
  return { server: new URL(`http://127.0.0.1:${port}`), token: new Secret(token) };
}

import type { Access, Target } from '../../../lib/kubernetes/access/access.ts';
import { connect } from '../../../lib/kubernetes/client.ts';
import type { KubernetesClient } from '../../../lib/kubernetes/client.ts';
import type { TimeLimits } from '../../../lib/http/limits.ts';
import type { Clock } from '../../../lib/clock.ts';
import { Secret } from '../../../lib/secret.ts';

/** Credentials that a test turns by hand. */
export interface TurnableAccess extends Access {
  turn(changes: Partial<Target>): void;
  /** What `refused` was called with, in order. */
  readonly refusals: readonly Target[];
}

export function turnableAccess(first: Target): TurnableAccess {
  let target = first;
  const refusals: Target[] = [];
  return {
    current: () => target,
    refused: (refused) => {
      refusals.push(refused);
    },
    turn: (changes) => {
      target = { ...target, ...changes };
    },
    refusals,
  };
}

export const roomyLimits: TimeLimits = { connectMs: 10_000, totalMs: 20_000 };

export function connectTo(access: Access, clock: Clock, limits: TimeLimits): KubernetesClient {
  return connect({ access, userAgent: 'polycloud-test', limits, clock, random: () => 0 });
}

export function plainTarget(port: number, token: string): Target {
  return { server: new URL(`http://127.0.0.1:${port}`), token: new Secret(token) };
}

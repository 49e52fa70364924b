import type { Clock } from '../lib/clock.ts';
import type { HealthCheck } from '../lib/server/health.ts';
import type { Broker } from './broker/broker.ts';
import type { AgentState } from './node-sync/agent-state.ts';

export interface HealthChecks {
  readonly live: readonly HealthCheck[];
  readonly ready: readonly HealthCheck[];
}

/** One sync and the backoff after it take less than this. */
const longestLoopMs = 5 * 60_000;

/**
 * A cloud or an API server that does not respond does not affect liveness: a restart would not help. Without a `state`
 * the agent does not sync a Node, and there is nothing to check. `others`: the loops for interruptions.
 */
export function healthChecks(
  state: Readonly<AgentState> | undefined,
  readEveryMs: number,
  clock: Clock,
  others: readonly HealthCheck[] = [],
): HealthChecks {
  if (state === undefined) return { live: [], ready: [] };
  const sinceLastLoopMs = (): number => clock.monotonicMs() - state.lastLoopAtMs;
  return {
    live: [
      {
        name: 'loop',
        problem: () => (sinceLastLoopMs() > 2 * readEveryMs + longestLoopMs ? 'the sync loop has stopped' : undefined),
      },
      ...others,
    ],
    ready: [
      {
        name: 'node-seen',
        problem: () => (state.node === undefined ? 'the watch has not delivered the Node yet' : undefined),
      },
      {
        name: 'metadata-read',
        problem: () => (needsMetadata(state) ? 'the instance metadata was never read' : undefined),
      },
    ],
  };
}

/** Adds the checks of the broker. `undefined`: the broker is still starting. */
export function withBroker(
  { live, ready }: HealthChecks,
  broker: () => Pick<Broker, 'stuck' | 'socketProblem'> | undefined,
): HealthChecks {
  return {
    live: [...live, { name: 'broker', problem: () => broker()?.stuck() }],
    ready: [
      ...ready,
      {
        name: 'broker-socket',
        problem: () => {
          const started = broker();
          return started === undefined ? 'the broker is starting' : started.socketProblem();
        },
      },
    ],
  };
}

/** A Node that the agent does not manage needs no metadata. */
function needsMetadata({ readAtMs, lastResult }: Readonly<AgentState>): boolean {
  return readAtMs === undefined && lastResult?.kind !== 'left-alone';
}

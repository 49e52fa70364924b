import type { Clock } from '../lib/clock.ts';
import type { HealthCheck } from '../lib/server/health.ts';
import type { Broker } from './broker/broker.ts';
import type { AgentState } from './node-sync/agent-state.ts';

export interface HealthChecks {
  readonly live: readonly HealthCheck[];
  readonly ready: readonly HealthCheck[];
}

/** A turn and the pause after it are shorter than this, besides what the pause was set to. */
const longestLoopMs = 5 * 60_000;

/**
 * A cloud or an API server that is away makes nobody start the agent again: it is the one that waits for them. An agent
 * without a `standing` keeps no Node, so it waits for none.
 */
export function healthChecks(state: Readonly<AgentState> | undefined, readEveryMs: number, clock: Clock): HealthChecks {
  if (state === undefined) return { live: [], ready: [] };
  const sinceLastLoopMs = (): number => clock.monotonicMs() - state.lastLoopAtMs;
  return {
    live: [
      {
        name: 'loop',
        problem: () => (sinceLastLoopMs() > 2 * readEveryMs + longestLoopMs ? 'the loop stands still' : undefined),
      },
    ],
    ready: [
      { name: 'node-seen', problem: () => (state.node === undefined ? 'the Node was not seen' : undefined) },
      {
        name: 'metadata-read',
        problem: () => (needsMetadata(state) ? 'the instance metadata was never read' : undefined),
      },
    ],
  };
}

/** With those of an agent that hands out logins. `undefined`: the broker is still being started. */
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
          return started === undefined ? 'the broker is being started' : started.socketProblem();
        },
      },
    ],
  };
}

/** A Node that is not ours needs none. */
function needsMetadata({ readAtMs, lastResult }: Readonly<AgentState>): boolean {
  return readAtMs === undefined && lastResult?.kind !== 'left-alone';
}

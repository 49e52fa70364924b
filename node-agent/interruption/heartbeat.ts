import type { Clock } from '../../lib/clock.ts';
import type { HealthCheck } from '../../lib/server/health.ts';

/** Shows whether a loop still runs. */
export interface Heartbeat {
  beat(): void;
  /** The loop has ended as it should. */
  end(): void;
  /** How long the loop has not beaten. `undefined`: it does not run. */
  silentMs(): number | undefined;
}

export function createHeartbeat(clock: Pick<Clock, 'monotonicMs'>): Heartbeat {
  let lastAtMs: number | undefined;
  return {
    beat: () => {
      lastAtMs = clock.monotonicMs();
    },
    end: () => {
      lastAtMs = undefined;
    },
    silentMs: () => (lastAtMs === undefined ? undefined : clock.monotonicMs() - lastAtMs),
  };
}

/** A request that a metadata server holds, and all requests of one look at the Node with their limits, take less. */
const longestSilenceMs = 3 * 60_000;

/** By the name of a loop. A service that does not respond does not affect them: each request has a limit. */
export function heartbeatChecks(heartbeats: Readonly<Record<string, Heartbeat>>): readonly HealthCheck[] {
  return Object.entries(heartbeats).map(([name, { silentMs }]) => ({
    name: `${name}-loop`,
    problem: () => ((silentMs() ?? 0) > longestSilenceMs ? `the loop of ${name} has stopped` : undefined),
  }));
}

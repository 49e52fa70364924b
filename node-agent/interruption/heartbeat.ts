import type { Clock } from '../../lib/clock.ts';

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

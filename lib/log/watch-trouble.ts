import type { Clock } from '../clock.ts';
import { failureFields } from './failure-fields.ts';
import type { Log } from './log.ts';
import { createTroubleLog } from './trouble-log.ts';

/** What a watch of Nodes calls when it breaks, and when it has heard of Nodes. */
export interface WatchTrouble {
  heard(): void;
  trouble(error: Error): void;
}

export function logWatchTrouble(log: Log, clock: Pick<Clock, 'monotonicMs'>): WatchTrouble {
  const { met, over } = createTroubleLog({
    clock,
    fails: (failure) => log.standard('watchFailing', failure),
    failsStill: (failure) => log.verbose('Nodes cannot be watched yet', failure),
    works: () => log.standard('watchRecovered', {}),
  });
  return { heard: over, trouble: (error) => met(failureFields(error)) };
}

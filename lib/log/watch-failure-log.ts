import type { Clock } from '../clock.ts';
import { failureFields } from './failure-fields.ts';
import type { Log } from './log.ts';
import { openFailureLog } from './failure-log.ts';

/** Called by a watch of Nodes when it fails, and when it has received Nodes. */
export interface WatchFailureLog {
  recovered(): void;
  failed(error: Error): void;
}

export function createWatchFailureLog(log: Log, clock: Pick<Clock, 'monotonicMs'>): WatchFailureLog {
  const { failed, recovered } = openFailureLog({
    clock,
    logFailure: (failure) => log.standard('watchFailing', failure),
    logRepeatedFailure: (failure) => log.debug('Nodes cannot be watched yet', failure),
    logRecovery: () => log.standard('watchRecovered', {}),
  });
  return { recovered, failed: (error) => failed(failureFields(error)) };
}

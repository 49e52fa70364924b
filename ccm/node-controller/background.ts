import { failureFields } from '../../lib/log/failure-fields.ts';
import type { Log } from '../../lib/log/log.ts';
import { LeadershipLost } from './leadership-lost.ts';

/** Work whose end nobody waits for. That it failed is said; that the lead was lost is known already. */
export function runInBackground(running: Promise<unknown>, log: Log): void {
  running.catch((error: unknown) => {
    if (!(error instanceof LeadershipLost)) log.error('Work of the controller failed', failureFields(error));
  });
}

export function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error';
}

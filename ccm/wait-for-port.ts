import { Failure } from '../lib/failure.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log/log.ts';

const retryMs = 500;

export interface PortWaitParts {
  readonly port: number;
  readonly clock: Clock;
  readonly log: Pick<Log, 'standard'>;
  readonly signal: AbortSignal;
}

/**
 * Tries until the port is not in use. A new replica on the node of an old one waits here until that one has ended, so an
 * upgrade goes on in a cluster of one node. `undefined`: the signal came first. Rejects when anything else fails.
 */
export async function waitForPort<T>(
  listen: () => Promise<T>,
  { port, clock, log, signal }: PortWaitParts,
): Promise<T | undefined> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      return await listen();
    } catch (error) {
      if (!isInUse(error)) throw error;
      if (attempt === 1) log.standard('portInUse', { port, hint });
    }
    // Rejects when the signal is aborted. The condition of the loop handles that.
    await clock.sleep(retryMs, signal).catch(() => undefined);
  }
  return undefined;
}

const hint =
  'another replica on this node frees the port when it ends; if it is another program, stop it or give another --secure-port';

function isInUse(error: unknown): boolean {
  return error instanceof Failure && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
}
